/** The model of Memory Scramble on the page: what the page redraws, and the answers about players and cards. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { change, gameOf } from "./memory.js";

test("a player who waits for another card by now is redrawn at both cards", () => {
  const game = gameOf(["A/ann", "B/cat", "?"], { waiting: { bob: [0, 0] } });
  assert.deepEqual(game.waitersFor(0), ["bob"]);
  assert.deepEqual(change(game, {}, { waiting: { bob: [0, 1] } }).touched, new Set([0, 1]));
  assert.deepEqual([game.waitersFor(0), game.waitersFor(1)], [[], ["bob"]]);
  assert.deepEqual(change(game, {}, { waiting: { bob: null } }).touched, new Set([1]));
  assert.deepEqual(game.waitersFor(1), []);
});

test("a change redraws only its cells, and names the players who hold cards now", () => {
  const game = gameOf(["A/ann", "B", "?", "-/bob"]);
  const { cells, touched } = change(game, { 0: "A", 2: "A/bob" });
  assert.deepEqual(touched, new Set([0, 2]));
  assert.deepEqual(
    cells.map(({ index, before, after }) => [index, before.by, after.by]),
    [
      [0, "ann", null],
      [2, undefined, "bob"],
    ],
  );
  assert.deepEqual([game.heldBy("ann"), game.heldBy("bob")], [[], [2]]);
  assert.deepEqual(
    [0, 1, 2, 3].map((index) => game.kind(index, "bob")),
    ["up", "up", "mine", "none"],
  );
  assert.equal(game.kind(2, "ann"), "held");
});

test("the cards of a player who leaves or comes back are redrawn", () => {
  const game = gameOf(["A/ann", "A/ann", "B/bob"], { players: ["ann", "bob"] });
  assert.deepEqual(game.playersCame({ players: ["bob"], left: { ann: null } }), new Set([0, 1]));
  assert.ok(game.hasLeft("ann"));
  assert.deepEqual(game.playersCame({ players: ["bob"], left: { ann: null } }), new Set());
  assert.deepEqual(game.playersCame({ players: ["ann", "bob"] }), new Set([0, 1]));
  assert.ok(!game.hasLeft("ann"));
});

test("a name is in the labels of the cards that its player holds, took or waits for", () => {
  const game = gameOf(["A/ann", "-/ann", "B/bob", "C", "?", "C/cat"], { waiting: { ann: [0, 2] } });
  assert.deepEqual(game.cellsNaming(["ann"]), new Set([0, 1, 2]));
  assert.deepEqual(game.cellsNaming(["bob", "cat", "dan"]), new Set([2, 5]));
});

test("the seconds are counted only while a timer can free a card", (t) => {
  t.mock.method(performance, "now", () => 0);
  assert.ok(!gameOf(["A/ann"]).countsDown);
  assert.ok(!gameOf(["A/ann"], { left: { ann: null } }).countsDown);
  assert.ok(!gameOf(["?"], { left: { ann: 20 } }).countsDown);
  const game = gameOf(["A/ann"], { left: { ann: 20 } });
  assert.ok(game.countsDown);
  assert.equal(game.freeIn("ann"), 20);
  game.playersCame({ players: ["ann"] });
  assert.ok(!game.countsDown);
  game.clockCame({ due: { ann: 7.2 } });
  assert.ok(game.countsDown);
  assert.equal(game.dueIn("ann"), 8);
});

test("a player is where the player's last card is, also after a second card that was different", () => {
  const game = gameOf(["?", "?", "?"], { players: ["ann", "bob"] });
  const columns = () => game.places("bob").map(({ id, at: [column], you }) => [id, column, you]);
  assert.deepEqual(columns(), []);
  change(game, { 0: "A/ann" });
  assert.deepEqual(columns(), [["ann", 0, false]]);
  change(game, { 0: "A", 2: "B" });
  change(game, {}, { waiting: { bob: [0, 1] } });
  assert.deepEqual(columns(), [
    ["ann", 2, false],
    ["bob", 1, true],
  ]);
  game.playersCame({ players: ["bob"] });
  assert.deepEqual(columns(), [["bob", 1, true]]);
});

test("the list of very many players has the best, oneself, and the number of the others", () => {
  const scores = Object.fromEntries(Array.from({ length: 200 }, (_, number) => [`p${number}`, number]));
  const game = gameOf(["?", "?"], { scores, score_count: 252, players: ["zoe", "p1"] });
  const { rows, others } = game.standings("zoe", 40);
  assert.equal(rows.length, 41);
  assert.deepEqual(rows[0], { player: "p199", pairs: 199, here: false });
  assert.deepEqual(rows[40], { player: "zoe", pairs: 0, here: true });
  assert.equal(others, 211);
});

test("a projector's list has the players who are here or have pairs, and knows if the game has begun", () => {
  const fresh = gameOf(["?", "?", "?", "?"], { version: 0, players: ["bob"] });
  assert.deepEqual(fresh.ranking, { points: [["bob", 0]], others: 0, begun: false, shape: 4 });
  const scores = { ann: 2, carl: 0 }; // both have left
  const game = gameOf(["?", "?", "?", "?"], { scores, players: ["bob"] });
  assert.deepEqual(game.ranking.points, [
    ["ann", 2],
    ["bob", 0],
  ]);
  assert.ok(game.ranking.begun);
});

test("a pair that its player has not taken counts as soon as nothing is left to find", () => {
  const pairs = (game) => game.standings("").rows.map(({ player, pairs }) => [player, pairs]);
  const early = gameOf(["A/ann", "A/ann", "?", "?"], { pairs_left: 2, scores: { ann: 0 } });
  assert.deepEqual([pairs(early), early.pairsToFind], [[["ann", 0]], 2]);
  const last = gameOf(["A/ann", "A/ann", "-/ann", "-/ann"], { scores: { ann: 1 } });
  assert.deepEqual([pairs(last), last.pairsToFind, last.pairsInAll], [[["ann", 2]], 0, 2]);
});
