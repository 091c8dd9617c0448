/** The outcome of a game for one player, and its headline. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { headlineOf, outcomeOf } from "../../../client/shared/headline.js";

const PLAYERS = ["ann", "bob"];

test("each outcome is of the player who looks", () => {
  assert.equal(outcomeOf({ scores: {}, winners: ["ann"] }, PLAYERS, "ann"), "won");
  assert.equal(outcomeOf({ scores: {}, winners: ["ann"] }, PLAYERS, "bob"), "lost");
  assert.equal(outcomeOf({ scores: {}, winners: [] }, PLAYERS, "ann"), "draw");
  assert.equal(outcomeOf({ scores: {}, winners: [] }, ["ann"], "ann"), "solo");
  assert.equal(outcomeOf({ scores: {}, winners: ["ann"] }, ["ann"], "ann"), "solo");
  assert.equal(outcomeOf({ scores: {}, winners: ["ann"] }, PLAYERS, null), "watched");
  assert.equal(outcomeOf({ scores: {}, winners: ["ann"] }, PLAYERS, "carl"), "watched");
});

/**
 * The code of the headline, or null.
 * @param {Record<string, number>} scores
 * @param {string[]} winners
 * @param {Record<string, Record<string, number>>} figures
 * @param {string | null} me
 */
const code = (scores, winners, figures = {}, me = "ann") =>
  headlineOf({ scores, winners }, new Map(Object.entries(figures)), me)?.code ?? null;

test("a long streak of the winner comes first, with its length", () => {
  const figures = { ann: { streak: 8 }, bob: { streak: 4 } };
  assert.deepEqual(
    headlineOf({ scores: { ann: 9, bob: 8 }, winners: ["ann"] }, new Map(Object.entries(figures)), "ann"),
    {
      code: "inARow",
      number: 8,
    },
  );
  assert.equal(code({ ann: 9, bob: 8 }, ["ann"], figures, "bob"), "byOne"); // bob has lost: his streak is no headline
  assert.equal(code({ ann: 9, bob: 8 }, ["ann"], figures, null), "inARow"); // a spectator sees the winner's
});

test("one point of difference is a headline for both sides, but not in a draw", () => {
  assert.equal(code({ ann: 5, bob: 4 }, ["ann"]), "byOne");
  assert.equal(code({ ann: 4, bob: 5 }, ["bob"]), "byOne");
  assert.equal(code({ ann: 5, bob: 5 }, []), null);
  assert.equal(code({ ann: 1 }, ["ann"]), null); // alone, nobody was second
});

test("a game without a boom or a mistake is flawless, for a winner and alone", () => {
  assert.equal(code({ ann: 50 }, ["ann"], { ann: { booms: 0 } }), "flawless");
  assert.equal(code({ ann: 50 }, ["ann"], { ann: { mistakes: 0 } }), "flawless");
  assert.equal(code({ ann: 50 }, ["ann"], { ann: { booms: 1 } }), null);
  assert.equal(code({ ann: 0 }, [], { ann: { mistakes: 0 } }), null); // given up
  assert.equal(code({ ann: 10, bob: 50 }, ["bob"], { ann: { booms: 0 } }), null);
});

test("twice as many points are far ahead, of a player who has points", () => {
  assert.deepEqual(headlineOf({ scores: { ann: 8, bob: 4 }, winners: ["ann"] }, new Map(), "ann"), {
    code: "farAhead",
    number: 4,
  });
  assert.equal(code({ ann: 8, bob: 0 }, ["ann"]), null);
  assert.equal(code({ ann: 8, bob: 5 }, ["ann"]), null);
  assert.equal(code({ ann: 4, bob: 8 }, ["bob"]), null); // nothing to cheer about for ann
});

test("a player without a move is still the second player", () => {
  const figures = { ann: { score: 1 }, bob: { score: 0 } };
  assert.equal(code({ ann: 1 }, ["ann"], figures), "byOne");
});
