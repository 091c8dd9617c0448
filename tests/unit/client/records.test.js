/** The results of one's games in the browser's storage: counting, best values, limits, export and import. */

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  bestOf,
  exported,
  imported,
  newBests,
  noteGame,
  played,
  statisticsOf,
} from "../../../client/shared/records.js";
import { stored, useStorage } from "./storage.js";

const game = (room, { at = 1, outcome = "won", values = {}, board = "6x6" } = {}) => ({
  room,
  game: "memory",
  board,
  outcome,
  at,
  values,
});

test("a game counts once, with its first result", () => {
  noteGame(game("a", { values: { seconds: 40 } }));
  noteGame(game("a", { at: 2, values: { seconds: 10 } }));
  assert.deepEqual(played(), [game("a", { values: { seconds: 40 } })]);
});

test("an invalid game is not noted, and a game is noted again only with more values", () => {
  noteGame(game("a", { values: {} }));
  noteGame(game("a", { values: { seconds: 9 } }));
  noteGame(game("a", { values: { seconds: 7 } }));
  noteGame(game("b", { board: "x".repeat(101) }));
  noteGame(game("c", { values: { seconds: Number.NaN } }));
  assert.deepEqual(
    played().map(({ room, values }) => [room, values]),
    [["a", { seconds: 9 }]],
  );
});

test("the statistics count outcomes and streaks, and a game alone ends no streak", () => {
  const outcomes = ["won", "won", "solo", "won", "lost", "draw", "won"];
  const games = outcomes.map((outcome, at) => game(`r${at}`, { at, outcome }));
  assert.deepEqual(statisticsOf(games), { games: 7, won: 4, lost: 1, draw: 1, streak: 1, longest: 3 });
});

test("the best time is the shortest, the best score the largest", () => {
  const all = [
    { seconds: 40, score: 3 },
    { seconds: 50, score: 9 },
  ];
  assert.deepEqual(bestOf(all), { seconds: 40, score: 9 });
});

test("a value is a new best only if it is better than an earlier value", () => {
  const before = [game("a", { values: { seconds: 40, score: 3 } })];
  assert.deepEqual(newBests({ seconds: 39, score: 3 }, before), ["seconds"]);
  assert.deepEqual(newBests({ seconds: 39 }, []), []);
});

test("earlier games on another board are not compared", () => {
  noteGame(game("a", { board: "4x4" }));
  noteGame(game("b"));
  assert.deepEqual(
    noteGame(game("c")).map(({ room }) => room),
    ["b"],
  );
});

test("a second import of the same file changes nothing, and no best value gets worse", () => {
  noteGame(game("a", { values: { seconds: 40 } }));
  const file = exported();
  stored.clear();
  noteGame(game("b", { at: 2, values: { seconds: 50 } }));
  assert.equal(imported(file), 1);
  const once = exported();
  assert.equal(imported(file), 0);
  assert.equal(exported(), once);
  assert.deepEqual(bestOf(played().map(({ values }) => values)), { seconds: 40 });
});

test("a wrong file changes nothing", () => {
  noteGame(game("a"));
  const before = exported();
  const wrong = [
    "",
    "not JSON",
    "null",
    "[]",
    '{"version":2,"games":[]}',
    '{"version":1,"games":{}}',
    JSON.stringify({ version: 1, games: [null] }),
    JSON.stringify({ version: 1, games: [{ ...game("b"), outcome: "best" }] }),
    JSON.stringify({ version: 1, games: [{ ...game("b"), values: { seconds: "1" } }] }),
    JSON.stringify({ version: 1, games: [{ ...game("b"), room: "r".repeat(101) }] }),
    JSON.stringify({ version: 1, games: Array(5001).fill(game("b")) }),
  ];
  for (const text of wrong) assert.equal(imported(text), null, text.slice(0, 60));
  assert.equal(exported(), before);
});

test("of more than a thousand games, the latest games and the best game stay", () => {
  const games = [...Array(1003).keys()].map((at) => game(`r${at}`, { at, values: { seconds: at === 0 ? 1 : 9 } }));
  imported(JSON.stringify({ version: 1, games }));
  assert.equal(played().length, 1000);
  assert.equal(played()[0].room, "r0");
  assert.equal(played()[1].room, "r4");
});

test("a broken, disabled or full storage leaves the page working", () => {
  stored.set("scramble.records", "{");
  assert.deepEqual(played(), []);
  const fail = () => {
    throw new Error("disabled");
  };
  useStorage({ getItem: fail, setItem: fail });
  assert.deepEqual(noteGame(game("a")), []);
});
