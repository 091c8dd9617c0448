/** The list of one's own rooms in the browser's storage. */

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { forgetRoom, myRooms, rememberNames, rememberRoom } from "../../../client/shared/myrooms.js";

/** @type {Map<string, string>} */
const stored = new Map();
let writes = 0;
const storage = {
  getItem: (key) => stored.get(key) ?? null,
  setItem(key, value) {
    writes += 1;
    stored.set(key, value);
  },
};
const useStorage = (value) => Object.defineProperty(globalThis, "localStorage", { value, configurable: true });

beforeEach(() => {
  stored.clear();
  useStorage(storage);
});

const remember = (room, role = "played") => rememberRoom({ room, game: "memory", title: "", role });

/** Note these names in a room, and return all names that the list has then, and the number of writes. */
const noted = (names) => {
  const before = writes;
  rememberNames("here", names);
  return [myRooms()[0].called, writes - before];
};

test("of more than forty rooms the newest ones are kept, the latest first", () => {
  const rooms = [...Array(42).keys()].map((number) => `room-${number}`);
  for (const room of rooms) remember(room);
  assert.deepEqual(
    myRooms().map(({ room }) => room),
    rooms.slice(2).reverse(),
  );
});

test("a room that is visited again comes first, and a room is forgotten on request", () => {
  for (const room of ["one", "two", "one", "three"]) remember(room);
  forgetRoom("three");
  assert.deepEqual(
    myRooms().map(({ room }) => room),
    ["one", "two"],
  );
});

test("the opener of a room stays its opener, and a player does not become a spectator", () => {
  for (const [before, now, role] of [
    ["opened", "played", "opened"],
    ["played", "watched", "played"],
    ["watched", "played", "played"],
    ["played", "opened", "opened"],
  ]) {
    remember(`${before}-${now}`, before);
    remember(`${before}-${now}`, now);
    assert.equal(myRooms()[0].role, role);
  }
});

test("of all names of a room the present ones are kept, and written once", () => {
  remember("here");
  const many = Object.fromEntries([...Array(100).keys()].map((number) => [`x${number}`, `name ${number}`]));
  const present = { 7: "seven", x0: "name 0" }; // an object lists number-like IDs first
  assert.deepEqual(noted(many), [many, 1]);
  const { x1: _oldest, ...rest } = many;
  assert.deepEqual(noted(present), [{ ...rest, ...present }, 1]);
  assert.deepEqual(noted(present), [{ ...rest, ...present }, 0]);
});

test("of too many present names a hundred are kept, and written once", () => {
  remember("here");
  const crowd = Object.fromEntries([...Array(101).keys()].map((number) => [`y${number}`, `name ${number}`]));
  for (const times of [1, 0]) {
    const [called, written] = noted(crowd);
    assert.deepEqual([Object.keys(called).length, written], [100, times]);
  }
});

test("without storage, or with invalid contents, the list is empty", () => {
  stored.set("scramble.rooms", "{");
  assert.deepEqual(myRooms(), []);
  stored.set("scramble.rooms", '[null, {"room": 1}, {"room": "one"}]');
  assert.deepEqual(myRooms(), [{ room: "one" }]);
  useStorage(undefined);
  remember("two");
  assert.deepEqual(myRooms(), []);
});
