/** The headline of a game in which a player made no move: the scores lack the player, and the figures do not. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { headlineOf } from "../../../client/shared/headline.js";

test("a player without a move is still the second player", () => {
  const figures = new Map([
    ["ann", { score: 1 }],
    ["bob", { score: 0 }],
  ]);
  assert.deepEqual(headlineOf({ scores: { ann: 1 }, winners: ["ann"] }, figures, "ann"), { code: "byOne", number: 1 });
});
