/**
 * Avatars of players: different at one table, the server's before the default ones, robots for bots, and the user's own
 * in the browser's storage. tests/system/browser/rooms/test_avatars.py compares the drawings.
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import { AVATARS, BOT_AVATARS } from "../../../client/shared/avatarart.js";
import { stored, useStorage } from "./storage.js";

globalThis.document = { querySelectorAll: () => [] }; // a page that shows no players yet

const LANGUAGES = ["en", "de", "es", "fr"];

let pages = 0;

/** The module in a new page. */
const newPage = () => import(`../../../client/shared/avatars.js?${pages++}`);

const PEOPLE = Array.from({ length: AVATARS }, (_, nth) => `p${nth}`);

test("forty people have forty avatars, and a further one has one of them", async () => {
  const { avatarOf } = await newPage();
  const avatars = PEOPLE.map(avatarOf);
  assert.equal(AVATARS, 40);
  assert.deepEqual(new Set(avatars), new Set(PEOPLE.keys()));
  assert.ok(avatars.includes(avatarOf("one more")));
  assert.deepEqual(PEOPLE.map(avatarOf), avatars);
});

test("a page gives a player the same default avatar as another page", async () => {
  const [one, other] = [await newPage(), await newPage()];
  assert.equal(one.avatarOf("Zoe"), other.avatarOf("Zoe"));
});

test("the server's avatars replace default ones, and nobody else has them", async () => {
  const { avatarOf, noteAvatars } = await newPage();
  const [ann, bob] = ["ann", "bob"].map(avatarOf);
  noteAvatars({ carl: ann, bob: (bob + 1) % AVATARS });
  assert.equal(avatarOf("carl"), ann);
  assert.equal(avatarOf("bob"), (bob + 1) % AVATARS);
  assert.ok(![ann, (bob + 1) % AVATARS].includes(avatarOf("ann")));
  noteAvatars({});
  assert.equal(avatarOf("carl") === avatarOf("ann"), false);
});

test("bots have robots, and more bots than robots share them", async () => {
  const { avatarOf } = await newPage();
  const bots = Array.from({ length: BOT_AVATARS + 1 }, (_, nth) => avatarOf(`bot_${nth}`));
  assert.equal(new Set(bots).size, BOT_AVATARS);
  assert.ok(bots.every((avatar) => avatar >= AVATARS && avatar < AVATARS + BOT_AVATARS));
  assert.ok(avatarOf("bottle") < AVATARS);
});

test("a browser has a random avatar until the user chooses one", async () => {
  const { keepAvatar, keptAvatar } = await newPage();
  const first = keptAvatar();
  assert.ok(first >= 0 && first < AVATARS && Number.isInteger(first));
  assert.equal(keptAvatar(), first);
  keepAvatar((first + 1) % AVATARS);
  assert.equal(keptAvatar(), (first + 1) % AVATARS);
});

test("an invalid stored avatar is replaced, and without a storage there is still an avatar", async () => {
  const { keepAvatar, keptAvatar } = await newPage();
  for (const bad of ["", "fox", "-1", "1.5", String(AVATARS)]) {
    stored.set("scramble.avatar", bad);
    assert.ok(keptAvatar() < AVATARS);
    assert.equal(stored.get("scramble.avatar"), String(keptAvatar()));
  }
  useStorage(undefined);
  keepAvatar(3);
  assert.ok(keptAvatar() < AVATARS);
});

test("each language has a different name for each avatar", async () => {
  for (const language of LANGUAGES) {
    const { avatars } = (await import(`../../../client/shared/words/${language}.js`)).default;
    assert.deepEqual([avatars.length, new Set(avatars).size], [AVATARS, AVATARS], language);
  }
});
