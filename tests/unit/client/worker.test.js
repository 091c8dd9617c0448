/**
 * The requests that the service worker answers: only navigations to the pages of its site. A browser asks the worker
 * about navigations to its site, and about all requests of these pages, also requests to other sites.
 * tests/system/browser/shared/test_away.py shows the worker's own page in a browser.
 */

import assert from "node:assert/strict";
import { test } from "node:test";

const SITE = "https://play.example/games/";
const OTHER = "https://other.example/games/";

/** @type {Record<string, (event: object) => void>} */ const listeners = {};
globalThis.self = {
  registration: { scope: SITE },
  addEventListener: (type, listener) => {
    listeners[type] = listener;
  },
};
await import("../../../client/offline/worker.js");

/** The worker's answer to a request; undefined if the browser itself sends the request. */
async function answerTo(url, { mode = "navigate", method = "GET", server = async () => new Response("page") } = {}) {
  let answer;
  globalThis.fetch = server;
  listeners.fetch({
    request: { url, mode, method },
    respondWith: (promise) => {
      answer = promise;
    },
  });
  return answer;
}

for (const path of ["", "g/room", "g/room/", "g/room/screen", "g/room/replay", "replay", "g/room?watch"])
  test(`the worker answers a navigation to the page “${path}” with the server's answer`, async () => {
    const answer = await answerTo(`${SITE}${path}`);
    assert.equal(await answer.text(), "page");
  });

const noAnswer = async () => {
  throw new TypeError("Failed to fetch");
};
for (const [name, server] of [
  ["does not answer", noAnswer],
  ["is missing behind its proxy", async () => new Response("", { status: 502 })],
  ["is too slow for its proxy", async () => new Response("", { status: 504 })],
])
  test(`if the server ${name}, the worker answers a navigation with its own page`, async () => {
    const answer = await answerTo(`${SITE}g/room`, { server });
    assert.equal(answer.status, 503);
    assert.match(await answer.text(), /The server is not there/);
  });

for (const [name, url, request] of [
  ["an image of another site", `${OTHER}replay`, { mode: "no-cors" }],
  ["a request to another site by a script", `${OTHER}g/room`, { mode: "cors" }],
  ["a file of this site", `${SITE}client/shared/page.js`, { mode: "cors" }],
  ["a page of this site for a script", `${SITE}g/room`, { mode: "cors" }],
  ["a form", `${SITE}g/room`, { method: "POST" }],
  ["an address for programs", `${SITE}g/room/look/ann`, {}],
  ["the list of rooms", `${SITE}rooms`, {}],
])
  test(`the worker leaves ${name} to the browser, also without a server`, async () => {
    const touched = [];
    const server = async (sent) => {
      touched.push(sent);
      return noAnswer();
    };
    assert.equal(await answerTo(url, { ...request, server }), undefined);
    assert.deepEqual(touched, []);
  });
