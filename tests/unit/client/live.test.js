/**
 * The lobby's live picture without a page: the choice of the game, and the frames of spectators on the board.
 *
 * - people before demonstrations, most players, then the newest; the shown game stays; ended and quiet games, and games
 *   without a picture, are never chosen
 * - slow lines, and browsers that save data or do not know their line
 * - Memory Scramble: cards up, held, taken and down again, points; a new board
 * - a crossword: before the match, words and points
 *
 * tests/system/browser/rooms/test_live.py shows a field of Minesweeper, which needs a canvas.
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import "./english.js";

import { chosenRoom, isGoodLine } from "../../../client/lobby/livechoice.js";

const room = (name, values) => ({ room: name, game: "memory", title: "", state: "open", opened: 1, ...values });
const all = () => true;
const chosen = (rooms, shown = null, canShow = all) => chosenRoom(rooms, shown, canShow)?.room ?? null;

test("a game of people comes first, with the most players, then the newest", () => {
  const demo = room("demo", { demo: true, opened: 9 });
  const [two, three] = [room("two", { players: 2, opened: 8 }), room("three", { players: 3 })];
  assert.equal(chosen([demo, two, three]), "three");
  assert.equal(chosen([demo, two, room("newer", { players: 2, opened: 9 })]), "newer");
  assert.equal(chosen([room("old", { demo: true }), demo]), "demo");
});

test("the shown game stays until it is over or nobody plays it", () => {
  const [ann, demo] = [room("ann", { players: 1 }), room("demo", { demo: true })];
  assert.equal(chosen([ann, demo], "demo"), "demo");
  assert.equal(chosen([ann, { ...demo, state: "ended" }], "demo"), "ann");
  assert.equal(chosen([room("ann", { players: 0 })], "ann"), null);
});

test("quiet games, ended games and games without a picture are never shown", () => {
  assert.equal(chosen([]), null);
  assert.equal(chosen([room("quiet", { players: 0, bots: [{ level: "easy" }] })]), null);
  assert.equal(chosen([room("over", { players: 2, state: "ended" })]), null);
  assert.equal(
    chosen([room("ann", { players: 1 })], null, () => false),
    null,
  );
});

test("only a fast line of a browser that does not save data is good", () => {
  assert.equal(isGoodLine(undefined), true);
  assert.equal(isGoodLine({ effectiveType: "4g" }), true);
  for (const effectiveType of ["slow-2g", "2g", "3g"]) assert.equal(isGoodLine({ effectiveType }), false);
  assert.equal(isGoodLine({ effectiveType: "4g", saveData: true }), false);
});

const down = { is: "down" };
const up = (card, by = null) => ({ is: "up", card, by });

test("a small board of memory follows the frames of spectators", async () => {
  const { Live } = await import("../../../client/memory/live.js");
  const live = new Live({ rows: 0, columns: 0 }, null, null);
  assert.equal(live.receive({ type: "company", names: {} }), false);
  const board = { type: "board", version: 1, rows: 1, columns: 3, cells: [down, up("🦊", "ann"), down], waiting: {} };
  assert.equal(live.receive({ ...board, scores: { ann: 1 } }), true);
  assert.deepEqual([live.rows, live.columns, [...live.scores]], [1, 3, [["ann", 1]]]);
  assert.match(live.label(1), /🦊/);
  assert.match(live.label(1), /ann/);
  const cells = [
    { row: 0, column: 1, cell: down },
    { row: 0, column: 2, cell: { is: "none", by: "bob" } },
  ];
  assert.equal(live.receive({ type: "change", version: 2, cells, scores: { bob: 1 }, waiting: { ann: [0, 0] } }), true);
  assert.doesNotMatch(live.label(1), /🦊/);
  assert.match(live.label(2), /bob/);
  assert.equal(live.scores.get("bob"), 1);
  assert.equal(live.note("ann"), "waiting");
  live.receive({ ...board, rows: 3, columns: 1, scores: {} });
  assert.deepEqual([live.rows, live.columns, live.scores.size], [3, 1, 0]);
});

test("a small crossword shows the words and points of the match", async () => {
  const { Live } = await import("../../../client/crossword/live.js");
  const live = new Live(null, null);
  assert.equal(live.receive({ state: "WAIT", match: { id: "m", puzzle: "p", player: "ann" } }), false);
  const words = [
    {
      id: 1,
      clue: "A pet",
      row: 0,
      column: 0,
      direction: "ACROSS",
      length: 3,
      entered: "cat",
      by: "ann",
      confirmed: true,
    },
    { id: 2, clue: "A car", row: 0, column: 0, direction: "DOWN", length: 3, entered: null, confirmed: false },
  ];
  const match = {
    id: "m",
    puzzle: "p",
    players: ["ann", "bob"],
    challenge_points: { ann: 2, bob: -1 },
    rows: 3,
    columns: 3,
  };
  assert.equal(live.receive({ state: "PLAY", match: { ...match, words } }), true);
  assert.deepEqual([live.rows, live.columns], [3, 3]);
  assert.deepEqual(
    [...live.scores],
    [
      ["ann", 3],
      ["bob", -1],
    ],
  );
  assert.match(live.label(2), /cat/);
  assert.equal(live.label(4), "");
});
