/**
 * Requests that are repeated after a failure. Strategy: success at the first, second and third attempt, failure of all
 * attempts, and a failure that is final. The clock is simulated.
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import { retry } from "../../../client/shared/retry.js";

/**
 * Run `retry` with a request that fails `failures` times. Return the result or the error's message, and the number of
 * requests.
 * @param {import("node:test").TestContext} context
 * @param {number} failures
 * @param {() => Promise<boolean>} [isFinal]
 */
async function result({ mock }, failures, isFinal) {
  mock.timers.enable({ apis: ["setTimeout"] });
  let requests = 0;
  let isDone = false;
  const load = async () => {
    requests += 1;
    if (requests <= failures) throw new Error(`failure ${requests}`);
    return "words";
  };
  const loaded = retry(load, isFinal)
    .catch((error) => error.message)
    .finally(() => {
      isDone = true;
    });
  while (!isDone) {
    await new Promise((done) => setImmediate(done));
    mock.timers.runAll();
  }
  return [await loaded, requests];
}

test("a request that succeeds is sent once", async (context) => {
  assert.deepEqual(await result(context, 0), ["words", 1]);
});

test("a request that fails is sent again, at most twice", async (context) => {
  assert.deepEqual(await result(context, 1), ["words", 2]);
  context.mock.timers.reset();
  assert.deepEqual(await result(context, 2), ["words", 3]);
  context.mock.timers.reset();
  assert.deepEqual(await result(context, 9), ["failure 3", 3]);
});

test("a request with a final failure is not sent again", async (context) => {
  assert.deepEqual(await result(context, 1, async () => true), ["failure 1", 1]);
});
