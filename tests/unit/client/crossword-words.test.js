/** The sentences of the crossword's page: labels, the next step, news, losses of the connection, refusals, the end. */

import assert from "node:assert/strict";
import { test } from "node:test";

import "./english.js";
import {
  awayWords,
  beginWords,
  cellLabel,
  changeWords,
  endWords,
  lossWords,
  refusalWords,
  returnWords,
  signed,
  standing,
  unansweredWords,
  wordHint,
  wordLabel,
} from "../../../client/crossword/words.js";
import { matchOf, SOLUTION, viewOf } from "./crossword.js";

const NO_DRAFT = { typed: 0, missing: 3, text: "???", touch: false };

test("the label of a clue has the place, the length, the clue and the owner", () => {
  const match = matchOf({ 3: ["car", "bob"], 1: ["cat", "ann", true] });
  assert.equal(
    wordLabel(match, match.word(3)),
    "3 across, 3 letters, clue: it has four wheels, entered by bob: car, not confirmed",
  );
  assert.equal(standing(match, match.word(1)), "entered by you: cat, confirmed");
  assert.equal(standing(match, match.word(4), "tax"), "not entered, solution: tax");
});

test("the label of a square has its letter, the typed letter, the place, and the words through it", () => {
  assert.equal(
    cellLabel(matchOf({ 3: ["car", "bob"] }), 1, "b"),
    "c, you have typed b, row 1, column 2; 3 across, letter 1 of 3, entered by bob; " +
      "1 down, letter 1 of 3, not entered",
  );
  assert.match(cellLabel(matchOf({ 3: ["car", "bob"] }, { solution: SOLUTION }), 9, undefined), /^empty, solution: t/);
});

test("the next step for a word depends on its owner and on the typed letters", () => {
  const match = matchOf({ 1: ["cat", "ann"], 3: ["car", "bob"], 2: ["mat", "bob", true] });
  const hint = (id, draft = {}) => wordHint(match, match.word(id), { ...NO_DRAFT, ...draft });
  assert.match(hint(4), /^Type all 3 letters, then press Enter/);
  assert.match(hint(4, { touch: true }), /press Try/);
  assert.equal(hint(4, { typed: 1, missing: 2 }), "2 letters to go.");
  assert.equal(hint(4, { typed: 3, missing: 0, text: "tax" }), "Press Enter to enter tax.");
  assert.match(hint(3), /^bob says car\. Wrong\?/);
  assert.match(hint(3, { typed: 1, missing: 0, text: "cab" }), /^Challenge with cab: \+2 if you are right, −1/);
  assert.match(hint(1), /^Your word: cat/);
  assert.equal(hint(2), "Confirmed: mat, bob's.");
});

test("a spectator reads what a word says, and at the end everybody reads the solution", () => {
  const entered = { 1: ["cot", "bob"], 3: ["car", "bob"] };
  const [watched, over] = [matchOf(entered, { you: null }), matchOf(entered, { solution: SOLUTION })];
  assert.equal(wordHint(watched, watched.word(3), NO_DRAFT), "bob says car.");
  assert.equal(wordHint(over, over.word(4), NO_DRAFT), "Nobody had it: tax.");
  assert.equal(wordHint(over, over.word(1), NO_DRAFT), "bob had cot, and it is cat.");
});

for (const [name, before, now, points, sentence] of [
  ["an entered word", {}, { 4: ["tax", "bob"] }, [0, 0], "bob entered tax, 4 across."],
  ["an own word", {}, { 4: ["tax", "ann"] }, [0, 0], "You entered tax, 4 across."],
  [
    "a challenge of a right word",
    { 3: ["car", "bob"] },
    { 3: ["car", "bob", true] },
    [-1, 0],
    "You challenged car, 3 across. The word is right and now confirmed; you lose a point.",
  ],
  [
    "a challenge with a wrong word",
    { 3: ["cab", "ann"] },
    {},
    [0, -1],
    "bob challenged cab, 3 across. Both words were wrong: the word is cleared, and bob loses a point.",
  ],
  [
    "a challenge with the right word",
    { 1: ["pet", "ann"], 2: ["set", "bob"] },
    { 2: ["mat", "ann", true] },
    [2, 0],
    "You challenged 2 across and won two points: it is mat, confirmed. Cleared: pet, 1 down.",
  ],
])
  test(`${name} is reported with the player and the points`, () => {
    assert.equal(changeWords(matchOf(before), matchOf(now, { points })).join(" "), sentence);
  });

test("a return reports the changes, or their number if there are many, and only the return after a reload", () => {
  const [before, all] = [matchOf(), { 2: ["mat", "bob"], 3: ["car", "bob"], 4: ["tax", "bob"] }];
  assert.match(returnWords(before, matchOf(), 5_000), /^Connected again.* Nothing has changed\.$/);
  assert.match(returnWords(before, matchOf({ 4: ["tax", "bob"] }), 5_000), / bob entered tax, 4 across\.$/);
  assert.match(returnWords(before, matchOf(all), 5_000), / 3 things happened meanwhile\.$/);
  assert.equal(returnWords(null, matchOf(all), null), "Back in your match.");
});

test("a command without an answer is reported as perhaps lost, unless its word is on the board", () => {
  const frame = { state: "PLAY", player: "ann", match: viewOf({ 3: ["car", "ann"], 4: ["tax", "bob"] }) };
  assert.equal(unansweredWords("TRY 3 CAR", frame), null);
  assert.equal(unansweredWords("TRY 3 cab", frame), "The word “cab” may not have been entered.");
  assert.equal(unansweredWords("CHALLENGE 4 tax", frame), "The word “tax” may not have been entered.");
  assert.equal(
    unansweredWords("TRY 3 car", { state: "CHOOSE", player: "ann" }),
    "The word “car” may not have been entered.",
  );
  assert.equal(unansweredWords("EXIT", frame), "Your last command may not have been carried out.");
});

test("a player reads which match is gone, and how much time a missing player has", () => {
  assert.match(lossWords({ state: "PLAY", match: "m1" }), /^Your match m1 is gone/);
  assert.match(lossWords({ state: "WAIT", match: "m1" }), /^Your match m1 was withdrawn/);
  assert.equal(lossWords({ state: "CHOOSE", match: null }), null);
  assert.match(
    awayWords({ player: "bob", seconds_left: 4 }),
    /^bob has lost the connection, and has 4 seconds to come/,
  );
  assert.match(awayWords({ player: "bob" }), /^bob has lost the connection\. You/);
});

test("a refusal with a known code has words of the page, and other refusals lose the names of parameters", () => {
  const params = { word: 1, length: 3, given: 5 };
  const known = refusalWords({ error: "text", code: "word-length", params });
  assert.equal(known, "Word 1 has 3 letters, and yours has 5.");
  const plain = refusalWords({ error: "m-1 cannot be a Match_ID; use PLAY Match_ID, Puzzle_ID", code: "other" });
  assert.equal(plain, "m-1 cannot be the name of a match; use PLAY match, puzzle");
  assert.equal(refusalWords({ error: null }), null);
});

test("the beginning and the end have the names, the points and the reason", () => {
  assert.equal(beginWords(matchOf()), "The match with bob has begun: 4 words to find.");
  const end = (result, more = {}) =>
    endWords(
      { points: { ann: 1, bob: 0 }, forfeited_by: null, ended: null, winner: null, ...result },
      matchOf({}, more),
    );
  assert.deepEqual(end({ winner: "ann" }), { title: "You win!", words: "The puzzle is complete. 1 to 0 for you." });
  assert.deepEqual(end({ winner: "ann" }, { you: "bob" }), {
    title: "ann wins!",
    words: "The puzzle is complete. 1 to 0 for ann.",
  });
  assert.deepEqual(end({ points: { ann: 1, bob: 1 } }), {
    title: "A draw!",
    words: "The puzzle is complete. 1 point each.",
  });
  assert.deepEqual(end({ winner: "bob", forfeited_by: "ann", ended: null }), {
    title: "bob wins!",
    words: "You gave up the match. The points are 1 to 0.",
  });
  assert.equal(
    end({ winner: "ann", forfeited_by: "bob", ended: "left" }).words,
    "bob left: the connection was lost for too long. 1 to 0 for you.",
  );
  assert.match(end({ ended: "timed out" }).words, /^Nobody has moved for too long\./);
});

test("a player alone reads the time, the mistakes and the points", () => {
  const match = matchOf({}, { players: ["ann"], points: [-1] });
  const result = { points: { ann: 3 }, forfeited_by: null, ended: null, winner: "ann", seconds: 95 };
  assert.deepEqual(endWords(result, match), { title: "Complete!", words: "1:35, 1 mistake, 3 points." });
  assert.equal(beginWords(match), "The clock runs: 4 words to find.");
  assert.deepEqual(changeWords(match, matchOf({ 4: ["tax", "ann", true] }, { players: ["ann"] })), [
    "4 across is right: tax.",
  ]);
});

test("a number has its sign, with a typographic minus", () =>
  assert.deepEqual([2, 0, -1].map(signed), ["+2", "0", "−1"]));
