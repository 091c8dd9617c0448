/** The replay of a crossword lobby: the match that it shows, and the words, points and moves of this match. */

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import "./english.js";
import { Scene } from "../../../client/crossword/replay.js";
import { viewOf } from "./crossword.js";

const { rows, columns, words } = viewOf();
const MATCHES = [
  { number: 1, id: "m1", puzzle: "cats", players: ["ann", "bob"], since: 5, until: 20 },
  { number: 2, id: "m2", puzzle: "cats", players: ["eve", "dan"], since: 10, until: null },
];
const WHOLE = {
  matches: { 1: { words: [[3, "car", "ann", false]], points: { ann: 0, bob: 0 } } },
  latest: 1,
  heat: { 1: [[3, 2]] },
};

let scene;

beforeEach(() => {
  scene = new Scene({ matches: MATCHES, puzzles: { cats: { rows, columns, words } } }, {});
});

test("before the first move no match is shown", () => {
  assert.equal(scene.caption, "No match has begun yet.");
  assert.deepEqual([scene.rows, scene.columns], [0, 0]);
});

test("a move changes words and points, and the squares tell who has entered them", () => {
  scene.reset(WHOLE);
  scene.apply({
    player: "bob",
    change: {
      match: 1,
      word: 3,
      words: [
        [3, "car", "ann", true],
        [1, "cat", "bob", false],
      ],
      points: { bob: -1 },
    },
  });
  assert.equal(
    scene.label(1),
    "row 1, column 2: 1. feline companion: cat, by bob; 3. it has four wheels: car, by ann, confirmed",
  );
  assert.equal(scene.label(0), "");
  assert.deepEqual(
    [...scene.scores],
    [
      ["ann", 0],
      ["bob", -1],
    ],
  );
  assert.equal(scene.latestBy, "bob");
  scene.apply({ player: "ann", change: { match: 1, words: [[1, null]] } });
  assert.match(scene.label(9), /1\. feline companion: not entered/);
});

test("the heat of a square counts the moves in all its words", () => {
  scene.reset(WHOLE);
  scene.apply({ player: "bob", change: { match: 1, word: 1 } });
  assert.deepEqual(
    [1, 2, 5, 6].map((index) => scene.heat.get(index)),
    [3, 2, 1, undefined],
  );
});

test("the match of the latest move is shown, until the viewer chooses another one", () => {
  scene.reset(WHOLE);
  scene.apply({ player: "eve", change: { match: 2 } });
  assert.equal(scene.caption, "Match m2 on cats");
  assert.deepEqual(
    scene.choices.map(({ value }) => value),
    ["", "1", "2"],
  );
  assert.match(scene.choices[1].text, /^m1 on cats: ann and bob$/);
  assert.equal(scene.choose("1", 25), 20); // the last move of this match
  assert.equal(scene.choose("1", 15), null); // the match is running
  assert.equal(scene.caption, "Match m1 on cats");
  assert.equal(scene.choose("", 25), null);
  assert.equal(scene.caption, "Match m2 on cats");
});

test("the caption of a match that is over says who has won", () => {
  scene.reset(WHOLE);
  scene.apply({ player: "ann", change: { match: 1, over: "won", winner: "ann" } });
  assert.equal(scene.caption, "Match m1 on cats: The match is over: ann wins");
});

test("two players have two hues", () => {
  scene.frame({ matches: [{ ...MATCHES[0], players: ["ann", "max"] }], puzzles: {} }); // both wish for hue 6
  scene.reset(WHOLE);
  assert.notEqual(scene.hue("ann"), scene.hue("max"));
});
