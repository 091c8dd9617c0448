/**
 * The counts of a game of Minesweeper, from frames that rarely occur, or that only an older server sends.
 *
 * - the clock: before the first dig, during the game, at the end
 * - pauses: of a field frame, of an event, of an answer; over with their time, and at the end
 * - a server without times, with squares and scores only
 *
 * The page's tests of rooms play with a server that keeps scores.
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Contest } from "../../../client/minesweeper/contest.js";

const START = { left: 10, bombs: 3, now: 5000, pause_ms: 5000 };
const END = { names: [], owners: [], tallies: {} };

/** A contest that began with this field frame at 1000 on the page's clock. */
function contestOf(frame) {
  const contest = new Contest();
  contest.replaceAll(frame, 1000);
  return contest;
}

test("the clock runs from the first dig to the end", () => {
  const contest = contestOf(START);
  assert.equal(contest.clock(2000), null);
  contest.apply({ is: "flagged", at: 5500, left: 10, bombs: 2 }, "ann", 0);
  assert.equal(contest.clock(2000), null);
  contest.apply({ is: "dug", at: 6000, left: 0, bombs: 2 }, "ann", 10);
  assert.equal(contest.clock(3000), 1000);
  contest.apply({ is: "ended", at: 6500, end: END }, null, 0);
  assert.equal(contest.clock(9000), 500);
});

test("a pause is over with its time, and with the game", () => {
  const contest = contestOf({ ...START, pauses: { ann: 7000 } });
  assert.deepEqual(
    ["ann", "bob", null].map((name) => contest.pauseLeft(name, 1000)),
    [2000, 0, 0],
  );
  contest.apply({ is: "exploded", at: 5000, left: 9, bombs: 2, until: 10_000 }, "bob", 1);
  assert.equal(contest.pauseLeft("bob", 2000), 4000);
  assert.equal(contest.pauseLeft("ann", 9000), 0);
  contest.pause("ann", 700, 9000);
  assert.equal(contest.pauseLeft("ann", 9100), 600);
  contest.apply({ is: "ended", at: 13_200, end: END }, null, 0);
  assert.equal(contest.pauseLeft("ann", 9200), 0);
});

test("scores of older servers are counted on as squares", () => {
  const contest = contestOf({ left: 10, scores: { ann: 1 } });
  contest.apply({ is: "dug" }, "ann", 4);
  contest.apply({ is: "exploded" }, "bob", 3);
  contest.apply({ is: "dug" }, null, 1);
  assert.equal(contest.left, 3);
  assert.equal(contest.isFull, false);
  assert.equal(contest.hasChords, false);
  assert.deepEqual(Object.fromEntries(contest.points), { ann: 5, bob: 3 });
});
