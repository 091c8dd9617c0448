/** The match of a frame: places, words, owners and outcomes. Sounds and calls for the changes between two frames. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Match, spelled } from "../../../client/crossword/match.js";
import { isChallenged, soundOf } from "../../../client/crossword/sounds.js";
import { stepOf } from "../../../client/crossword/swipe.js";
import { matchOf, SOLUTION, viewOf } from "./crossword.js";

const ids = (words) => words.map(({ id }) => id);

test("a cell has its place, its letter and its words, the word across first", () => {
  const match = matchOf({ 3: ["car", "bob"] });
  assert.deepEqual(match.place(6), [1, 2]);
  assert.equal(match.index(1, 2), 6);
  assert.deepEqual(match.indexes(), [1, 2, 3, 4, 5, 6, 9, 10, 11]);
  assert.deepEqual(
    [1, 4, 7].map((index) => match.cell(index)?.letter),
    ["c", null, undefined],
  );
  assert.deepEqual(
    [1, 5, 6].map((index) => ids(match.wordsAt(index))),
    [[3, 1], [2, 1], [2]],
  );
  assert.deepEqual(
    [1, 5].map((index) => ids(match.wordsFrom(index))),
    [[3, 1], []],
  );
  assert.equal(match.wordThrough(5, "DOWN")?.id, 1);
  assert.equal(match.wordThrough(6, "DOWN"), null);
  assert.deepEqual(match.cellsOf(match.word(1)), [1, 5, 9]);
});

test("the clues are in the order across, down", () => assert.deepEqual(ids(matchOf().inOrder()), [2, 3, 4, 1]));

test("a word belongs to the player who entered it, and a spectator sees the first player's side", () => {
  const entered = { 3: ["car", "bob", true], 4: ["tab", "bob"], 1: ["cat", "ann"] };
  for (const you of ["ann", null]) {
    const match = matchOf(entered, { you });
    assert.deepEqual(
      [1, 2, 3].map((id) => match.sideOf(match.word(id))),
      ["mine", null, "theirs"],
    );
    assert.deepEqual([match.me, match.other, match.you], ["ann", "bob", you]);
    assert.deepEqual(match.countOf("bob"), { entered: 2, confirmed: 1 });
  }
});

test("a projector's list has the expected totals, and the match begins with a word", () => {
  assert.ok(!matchOf().ranking.begun);
  const { points, begun } = matchOf({ 3: ["car", "bob", true], 4: ["tab", "bob"], 1: ["cat", "ann"] }).ranking;
  assert.deepEqual(
    new Map(points),
    new Map([
      ["ann", 1],
      ["bob", 2],
    ]),
  );
  assert.ok(begun);
});

test("two matches have one shape if their grids are equal, also with other letters", () => {
  const { rows, ...view } = viewOf();
  assert.ok(matchOf().hasShapeOf(matchOf({ 3: ["car", "bob"] })));
  assert.ok(!matchOf().hasShapeOf(null));
  assert.ok(!matchOf().hasShapeOf(new Match({ ...view, rows: rows + 1 }, "ann")));
});

test("at the end a word is right, wrong or open, and a cell shows the letter that it lacks", () => {
  const match = matchOf({ 1: ["cot", "ann"], 3: ["car", "bob"] }, { solution: SOLUTION });
  assert.deepEqual(
    match.words.map((word) => match.outcomeOf(word)),
    ["wrong", "open", "right", "open"],
  );
  assert.deepEqual(
    [1, 5, 10].map((index) => match.missedAt(index)),
    [null, "a", "a"],
  );
  assert.equal(matchOf({ 1: ["cot", "ann"] }).missedAt(5), null); // without a solution nobody knows
});

test("a full board spells the solution, also of a word that nobody entered", () => {
  assert.deepEqual(spelled(viewOf({ 2: ["mat", "bob"], 3: ["car", "ann"], 4: ["tax", "ann"] })), SOLUTION);
});

test("a player hears a challenge's points and the own words, but not the other player's words", () => {
  const before = matchOf();
  assert.equal(soundOf(before, matchOf({}, { points: [2, 0] })), "match");
  assert.equal(soundOf(before, matchOf({}, { points: [-1, 0] })), "boom");
  assert.equal(soundOf(before, matchOf({ 3: ["car", "ann"] })), "turn");
  assert.equal(soundOf(before, matchOf({ 3: ["car", "bob"] })), null);
  assert.equal(soundOf(before, matchOf({ 3: ["car", "ann"] }, { you: null })), null);
});

test("a challenge calls the owner of the word, and no other move does", () => {
  const before = matchOf({ 3: ["cab", "ann"], 4: ["tab", "bob"] });
  assert.ok(isChallenged(before, matchOf({ 3: ["car", "bob", true], 4: ["tab", "bob"] }, { points: [0, 2] })));
  assert.ok(isChallenged(before, matchOf({ 4: ["tab", "bob"] }, { points: [0, -1] })));
  assert.ok(!isChallenged(before, matchOf({ 3: ["cab", "ann"] })));
  assert.ok(!isChallenged(before, matchOf({ 3: ["cab", "ann"] }, { points: [-1, 0] })));
});

test("a finger that moves to the left swipes to the next clue, and a short or steep movement does not", () => {
  const movements = [
    [-120, 0],
    [120, 60],
    [-20, 0],
    [60, 60],
  ];
  assert.deepEqual(
    movements.map(([x, y]) => stepOf(x, y)),
    [1, -1, 0, 0],
  );
});
