/** Crossword files of other programs: the request to the server, and its answers in words. */

import assert from "node:assert/strict";
import { test } from "node:test";

import "./english.js";
import { convertPuzzle } from "../../../client/crossword/importing.js";
import WORDS from "../../../client/crossword/kind-words/en.js";

const PUZZLE = { title: "Pets", rows: 3, columns: 4, words: 5, source: '>> "Pets" ""' };

/** Convert a file with this name on a page whose server gives this answer. Return the result and the requests. */
async function convert(t, name, answer, token = "") {
  const fetch = t.mock.method(globalThis, "fetch", async () => answer);
  const converted = await convertPuzzle(new File(["text"], name), token, WORDS);
  return { converted, requests: fetch.mock.calls.map(({ arguments: [url, options] }) => ({ url, ...options })) };
}

test("a file of another program becomes text, and its size is shown", async (t) => {
  const { converted, requests } = await convert(t, "my pets.ipuz", Response.json(PUZZLE), "password");
  assert.deepEqual(converted, { text: PUZZLE.source, words: "Pets · 3 × 4, 5 words" });
  assert.equal(requests.length, 1);
  assert.ok(requests[0].url.href.endsWith("/rooms/puzzle?name=my%20pets"), requests[0].url.href);
  assert.equal(requests[0].headers.get("Scramble-Token"), "password");
});

test("a file in the own format is not sent", async (t) => {
  const { converted, requests } = await convert(t, "cats.PUZZLE", Response.error());
  assert.equal(converted, null);
  assert.deepEqual(requests, []);
});

for (const [name, status, refusal, sentence] of [
  ["too large a file", 413, {}, "That file is too long."],
  ["a reason", 422, { code: "cannot-import", params: { why: "damaged" } }, "This file is damaged."],
  [
    "a reason at a square",
    422,
    { code: "cannot-import", params: { why: "shading", row: 2, column: 3 } },
    "Row 2, column 3: a shaded square cannot be shown here.",
  ],
  ["an unknown reason", 422, { code: "cannot-import", params: { why: "new" }, error: "As told." }, "As told."],
])
  test(`${name} is reported in words`, async (t) => {
    await assert.rejects(convert(t, "pets.puz", Response.json(refusal, { status })), { message: sentence });
  });

test("a server that does not answer is reported in words", async (t) => {
  await assert.rejects(convert(t, "pets.puz", Promise.reject(new TypeError())), /answer/);
});
