/** Initials of players: no two players have the same, in several scripts, and they stay while others come. */

import assert from "node:assert/strict";
import { test } from "node:test";

let pages = 0;

/** The function of a new page, which knows no players yet. */
const newPage = async () => (await import(`../../../client/shared/initials.js?${pages++}`)).initialsAmong;

/** The initials of these players, who come one after another to a new page. */
async function initials(...names) {
  const initialsAmong = await newPage();
  return names.map((name, player) => initialsAmong(String(player), name));
}

test("initials are letters of the name in its script", async () => {
  const names = ["alice", "quiet_otter", "x", "李小龙", "Zoë Ö"];
  assert.deepEqual(await initials(...names), ["Al", "QO", "X", "李", "ZÖ"]);
});

test("no two players have the same initials", async () => {
  assert.deepEqual(await initials("An", "an", "Anna", "ANTON", "An"), ["An", "A2", "Aa", "At", "A3"]);
  assert.deepEqual(await initials("nina_pretty", "nils_peter", "nora_park"), ["NP", "Ni", "No"]);
  assert.deepEqual(await initials("李小龙", "李白"), ["李", "李2"]);
});

test("very many players with the same letters share initials of one or two characters", async () => {
  const many = await initials(...Array.from({ length: 100 }, (_, number) => `p${String(number).padStart(2, "0")}`));
  assert.equal(new Set(many).size, 10);
  assert.ok(many.every(({ length }) => length === 1 || length === 2));
});

test("initials stay while others come, and follow a new name", async () => {
  const initialsAmong = await newPage();
  const shown = ["An", "An", "Bo"].map((name) => [initialsAmong("1", name), initialsAmong("2", "Anna")]);
  assert.deepEqual(shown, [
    ["An", "Aa"],
    ["An", "Aa"],
    ["Bo", "Aa"],
  ]);
});
