/** Reports of players who come and go: a short absence is not reported. The clock is simulated. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { AWAY_MS, Presence } from "../../../client/shared/presence.js";

/** A presence that appends its reports to `told`. `later(ms)` moves the clock. */
function begin(t) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const told = [];
  const presence = new Presence({
    onCame: (player) => told.push(`${player} came`),
    onLeft: (player) => told.push(`${player} left`),
  });
  /** The reports since the last call. */
  const news = () => told.splice(0);
  return { presence, news, later: (ms) => t.mock.timers.tick(ms) };
}

test("the first list is no news, and later arrivals are, also in an empty room", (t) => {
  const { presence, news } = begin(t);
  presence.note([], null);
  presence.note(["ann", "bob"], null);
  assert.deepEqual(news(), ["ann came", "bob came"]);
});

test("a player who is back after a moment has neither left nor come", (t) => {
  const { presence, news, later } = begin(t);
  presence.note(["ann", "bob"], "ann");
  for (let times = 0; times < 3; times += 1) {
    presence.note(["ann"], "ann");
    later(AWAY_MS - 1);
    presence.note(["ann", "bob"], "ann");
    later(AWAY_MS);
  }
  assert.deepEqual(news(), []);
});

test("a longer absence is reported once, and the return, too", (t) => {
  const { presence, news, later } = begin(t);
  presence.note(["ann", "bob", "cat"], "ann");
  presence.note(["ann", "cat"], "ann");
  later(AWAY_MS - 1);
  assert.deepEqual(news(), []);
  presence.note(["ann"], "ann"); // another list does not postpone the report
  later(1);
  assert.deepEqual(news(), ["bob left"]);
  later(AWAY_MS);
  assert.deepEqual(news(), ["cat left"]);
  presence.note(["ann"], "ann");
  later(AWAY_MS);
  assert.deepEqual(news(), []);
  presence.note(["ann", "bob"], "ann");
  assert.deepEqual(news(), ["bob came"]);
});

test("without a connection nobody is reported as absent, and the next list tells who is missing", (t) => {
  const { presence, news, later } = begin(t);
  presence.note(["ann", "bob", "cat"], "ann");
  presence.note(["ann"], "ann");
  presence.pause();
  later(10 * AWAY_MS);
  assert.deepEqual(news(), []);
  presence.note(["ann", "bob"], "ann");
  assert.deepEqual(news(), []);
  later(AWAY_MS);
  assert.deepEqual(news(), ["cat left"]);
});

test("the player of this tab is not reported, but a former name of this tab is", (t) => {
  const { presence, news, later } = begin(t);
  presence.note(["bob"], null);
  presence.note(["ann", "bob"], "ann");
  presence.note(["bob"], "ann"); // after a boom in Minesweeper
  later(AWAY_MS);
  presence.note(["ann", "bob"], "ann");
  presence.note(["ann", "anna", "bob"], "anna"); // the server has not yet noticed the end of the old connection
  presence.note(["anna", "bob"], "anna");
  assert.deepEqual(news(), []);
  later(AWAY_MS);
  assert.deepEqual(news(), ["ann left"]); // its cards stay with the name
});

test("a list of only some of very many players is no news, and neither is the next list", (t) => {
  const { presence, news, later } = begin(t);
  presence.note(["ann", "bob"], "ann");
  presence.note(["ann"], "ann");
  presence.note(["ann", "cat"], "ann", false);
  later(AWAY_MS);
  presence.note(["ann", "dan"], "ann");
  assert.deepEqual(news(), []);
  presence.note(["ann", "dan", "eve"], "ann");
  assert.deepEqual(news(), ["eve came"]);
});
