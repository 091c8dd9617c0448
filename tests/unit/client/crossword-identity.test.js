/** A tab's identity for the server: the line that it sends by itself, and the session to which it could not return. */

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import "./english.js";
import { Identity } from "../../../client/crossword/identity.js";

const IN_MATCH = { player: "ann", token: "secret", state: "PLAY", match: { id: "m1" } };
const IN_LOBBY = { player: "ann", token: "other", state: "CHOOSE" };

let identity;

beforeEach(() => {
  identity = new Identity();
  identity.forget(); // the session of the test before
});

test("a tab without a session sends nothing by itself", () => {
  assert.equal(identity.begin(), null);
  assert.equal(identity.entered(IN_MATCH), null);
});

test("a tab returns with its token, and has lost nothing", () => {
  identity.entered(IN_MATCH);
  assert.equal(identity.begin(), "ann secret");
  assert.deepEqual(identity.entered({ ...IN_MATCH, token: undefined }), { lost: null });
  assert.equal(identity.begin(), "ann secret");
});

test("a tab with a refused token returns to the lobby with its name, and has lost its match", () => {
  identity.entered(IN_MATCH);
  identity.begin();
  assert.equal(identity.refused(), "ann");
  assert.ok(identity.isTrying);
  assert.deepEqual(identity.entered(IN_LOBBY), { lost: { state: "PLAY", match: "m1" } });
  assert.equal(identity.begin(), "ann other");
});

test("a tab whose name is refused, too, asks for a name", () => {
  identity.entered(IN_MATCH);
  identity.begin();
  identity.refused();
  assert.equal(identity.refused(), null);
  assert.equal(identity.begin(), null);
  assert.equal(identity.player, null);
});

test("a token that the user has typed is kept", () => {
  identity.begin();
  identity.typed("ann secret");
  identity.entered({ ...IN_MATCH, token: undefined });
  assert.equal(identity.begin(), "ann secret");
});
