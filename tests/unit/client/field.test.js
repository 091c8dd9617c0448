/**
 * The pages' model of the field of Minesweeper, and the sentences about it.
 *
 * - frames: a field, an equal field, another field; events of known players, and of players without a name here
 * - craters: of this field only
 * - expected flags: shown at once, confirmed, refused, on a square that another player has dug
 * - labels of squares, the next step, and the changes while the connection was lost
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import "./english.js";

import { Field } from "../../../client/minesweeper/field.js";
import { nameWords, nextWords, returnWords, squareLabel } from "../../../client/minesweeper/words.js";

const FRAME = {
  version: 5,
  columns: 3,
  rows: 2,
  lines: ["---", "---"],
  players: [
    { id: 1, name: "ann", at: null },
    { id: 2, name: "bob", at: [2, 1] },
  ],
  you: 1,
  left: 5,
  bombs: 1,
  chord: true,
};

function fieldOf(frame = {}) {
  const field = new Field();
  field.replaceAll({ ...FRAME, ...frame });
  return field;
}

const move = (is, x, y, text, player = 2) => ({ is, x, y, player, runs: [[x, y, text]] });
const labelAt = (field, x, y) => squareLabel(field, field.index(x, y));
const nextOf = (field, now = {}) =>
  nextWords(field, { state: "online", mode: "dig", hasBlown: false, pauseMs: 0, ...now }).text;

test("events change squares, counts and the places of players", () => {
  const field = fieldOf();
  assert.deepEqual(field.apply(move("dug", 0, 0, "11")), { at: 0, changed: 2, before: { id: 2, name: "bob", at: 5 } });
  field.apply(move("flagged", 2, 0, "F"));
  assert.deepEqual([field.untouched, field.flagged], [3, 1]);
  assert.equal(labelAt(field, 1, 0), "column 2, row 1, dug, 1 bomb near, all flagged: dig here to open the rest");
  assert.equal(labelAt(field, 2, 0), "column 3, row 1, flagged, bob was here");
  assert.equal(labelAt(field, 2, 1), "column 3, row 2, untouched");
});

test("a crater stays on its field, and is not on another field", () => {
  const field = fieldOf();
  field.apply(move("exploded", 1, 0, "1"));
  field.replaceAll({ ...FRAME, version: 6, lines: ["-1-", "---"] });
  assert.equal(labelAt(field, 1, 0), "column 2, row 1, dug, 1 bomb near, a bomb went off here");
  for (const other of [{ version: 2 }, { version: 9, rows: 1, lines: ["---"] }]) {
    field.craters.add(1);
    field.replaceAll({ ...FRAME, ...other });
    assert.equal(labelAt(field, 1, 0), "column 2, row 1, untouched");
  }
});

test("all bombs of a chord leave craters, and so do the bombs in a frame of the end", () => {
  const field = fieldOf();
  field.apply({ ...move("chorded", 0, 0, "1"), booms: [[1, 1]] });
  field.apply({ is: "ended", end: { names: [], owners: [], tallies: {}, booms: [[2, 0, 0]] } });
  assert.deepEqual([...field.craters], [4, 2]);
});

test("an expected flag is shown at once, until the field contains the answer or the server refuses it", () => {
  const field = fieldOf();
  field.expect(0, true, 7);
  field.expect(1, true, 8);
  assert.deepEqual([field.isFlagged(0), field.bombsLeft], [true, -1]);
  assert.equal(field.settle(0, 6, null), false, "the answer to an earlier move");
  assert.equal(field.settle(0, 7, null), true);
  assert.equal(field.isFlagged(0), false);
  assert.equal(field.settle(1, 8, 6), false, "the change has not come yet");
  assert.deepEqual(field.settled(), []);
  field.version = 6;
  field.apply({ ...move("flagged", 1, 0, "F", 1), bombs: 0 });
  assert.deepEqual(field.settled(), [1]);
  assert.deepEqual([field.isFlagged(1), field.bombsLeft], [true, 0]);
});

test("a square that another player has dug shows no expected flag", () => {
  const field = fieldOf();
  field.expect(0, true, 7);
  field.apply(move("dug", 0, 0, "1"));
  assert.equal(field.isDug(0), true);
  assert.deepEqual(field.expectNothing(), [0]);
});

test("of very many players, those without a name here are counted", () => {
  const field = fieldOf({ others: 2 });
  assert.deepEqual(field.apply(move("flagged", 0, 0, "F", 90)), { at: 0, changed: 1, before: null });
  field.apply({ is: "disconnected", player: 90 });
  field.apply({ is: "disconnected", player: 2 });
  field.apply({ is: "connected", player: { id: 91, name: "eve", at: null } });
  assert.deepEqual([[...field.players.keys()], field.others], [[1, 91], 1]);
});

test("players of one name have their numbers beside it", () => {
  const field = fieldOf();
  field.apply({ is: "connected", player: { id: 3, name: "ann", at: [0, 0] } });
  assert.deepEqual(
    [...field.players.values()].map((player) => nameWords(field, player)),
    ["ann (1)", "bob", "ann (3)"],
  );
  assert.equal(labelAt(field, 0, 0), "column 1, row 1, untouched, ann (3) was here");
});

test("the next step depends on the field, the mode and the connection", () => {
  assert.match(nextOf(fieldOf(), { state: "lost" }), /^The connection is lost/);
  assert.match(nextOf(fieldOf()), /^Dig a square\./);
  assert.match(nextOf(fieldOf(), { mode: "flag" }), /^Flag the squares/);
  assert.match(nextOf(fieldOf(), { pauseMs: 900 }), /you go on in 1 s\.$/);
  assert.match(nextOf(fieldOf({ start: [1, 1] })), /^Begin at the marked square\./);
  assert.match(nextOf(fieldOf({ lines: ["11F", "FFF"] })), /^All dug or flagged\./);
  assert.match(nextOf(fieldOf({ left: 0 })), /^All done/);
  assert.match(nextOf(fieldOf({ you: null })), /^You have lost\.$/);
});

test("after the first move its hint is gone, also over another connection and after a reload", () => {
  const first = /^Dig a square\./;
  const field = fieldOf({ scores: { bob: 2 } });
  assert.match(nextOf(field), first);
  field.apply(move("flagged", 0, 0, "F", 2));
  assert.match(nextOf(field), first);
  field.apply(move("flagged", 1, 0, "F", 1));
  assert.doesNotMatch(nextOf(field), first);
  field.replaceAll({ ...FRAME, players: [{ id: 3, name: "ann", at: null }], you: 3 });
  assert.doesNotMatch(nextOf(field), first);
  assert.doesNotMatch(nextOf(fieldOf({ scores: { ann: -10 } })), first);
  assert.doesNotMatch(nextOf(fieldOf({ you: 2 })), first, "instead of a backlog");
});

test("a page that comes back says how much has changed", () => {
  const field = fieldOf();
  const before = { version: 5, columns: 3, squares: field.squares() };
  assert.equal(returnWords(before, field, null), "");
  field.apply(move("dug", 0, 0, "11"));
  assert.equal(returnWords(before, field, null), "2 squares changed meanwhile.");
  field.replaceAll({ ...FRAME, version: 0 });
  assert.equal(returnWords(before, field, null), "It is another field now: 3 columns by 2 rows.");
});

test("a projector's list has the players who are here or have points, and the game begins with a dig or a flag", () => {
  const fresh = fieldOf();
  const points = [
    ["ann", 0],
    ["bob", 0],
  ];
  assert.deepEqual(fresh.ranking, { points, begun: false, others: 0, shape: 1.5 });
  assert.ok(fieldOf({ began: 0 }).ranking.begun);
  assert.ok(fieldOf({ lines: ["F--", "---"] }).ranking.begun);
  const later = fieldOf({ scores: { carl: -3, dora: 0 } }); // both have left
  assert.deepEqual(later.ranking.points, [...points, ["carl", -3]]);
  assert.ok(later.ranking.begun);
});
