/**
 * The parts of a replay without a page: sentences for events, and the boards of scenes.
 *
 * - sentences: of the game, of all games, of an unknown code; players and other texts in them
 * - a board: its beginning, moves with and without a square, a later reset
 * - the spots of a small game: labels, and squares in the heat map
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import "./english.js";

import { PlainScene } from "../../../client/replay/plainscene.js";
import { BoardScene } from "../../../client/replay/scene.js";
import { sentenceOf, teller } from "../../../client/replay/telling.js";

const tell = teller({ took: ({ player, card }) => `${player} takes ${card}` });

test("an event has the game's sentence, else the sentence of all games", () => {
  assert.equal(sentenceOf({ code: "took", params: { player: "ann", card: "fox" } }, tell), "ann takes fox");
  assert.equal(sentenceOf({ code: "joined", params: { player: "bob" } }, tell), "bob joins");
  assert.equal(sentenceOf({ code: "took", params: { player: null, card: "fox" } }, tell), "somebody takes fox");
});

test("a text from right to left does not change the order of the words beside it", () => {
  const params = { player: "ann", card: "שועל" };
  assert.equal(sentenceOf({ code: "took", params }, tell), "ann takes \u2068שועל\u2069");
});

test("an unknown code is shown with its player and its params", () => {
  const params = { player: "ann", of_all: 4 };
  assert.equal(sentenceOf({ code: "took-a-step", params }, tell), "ann: took a step (of all 4)");
  assert.equal(sentenceOf({ code: "it-ended", params: {} }, tell), "it ended");
});

test("a board follows the moves, and goes back to the beginning of a piece", () => {
  const board = new BoardScene({ rows: 2, columns: 3 }, null, null);
  const whole = { scores: { ann: 1 }, heat: [[2, 1]] };
  board.reset(whole);
  board.apply({ player: "ann", change: { scores: { ann: 2 }, place: 2 } });
  board.apply({ player: "bob", change: { place: 4 } });
  assert.deepEqual([...board.scores], [["ann", 2]]);
  assert.deepEqual(
    [...board.heat],
    [
      [2, 2],
      [4, 1],
    ],
  );
  assert.deepEqual([board.latest, board.latestBy], [4, "bob"]);
  assert.equal(board.label(4), "row 2, column 2");
  board.apply({ player: null, change: {} });
  assert.equal(board.latest, null);
  board.reset(whole);
  assert.deepEqual([...board.scores, ...board.heat], [...Object.entries(whole.scores), ...whole.heat]);
});

test("a small game has a label for each spot, and counts the spots that have changed", () => {
  const scene = new PlainScene({ rows: 1, columns: 3 }, null, null);
  const spots = [{ look: "down" }, { look: "up", text: "7" }, { look: "down" }];
  scene.reset({ spots, scores: {}, heat: [] });
  scene.apply({ player: "ann", change: { spots: [[0, { look: "up", by: "ann", text: "3" }]], scores: { ann: 3 } } });
  assert.deepEqual(
    [0, 1, 2].map((index) => scene.label(index)),
    ["row 1, column 1: 3, ann", "row 1, column 2: 7", "row 1, column 3: empty"],
  );
  assert.deepEqual([...scene.heat], [[0, 1]]);
  assert.deepEqual([scene.latest, scene.latestBy, scene.scores.get("ann")], [0, "ann", 3]);
  scene.reset({ spots, scores: {}, heat: [] });
  assert.equal(scene.label(0), "row 1, column 1: empty");
});
