/**
 * Modules that a page loads with `import()`. A browser requests a module again if the first request failed, but it
 * never evaluates a module again: so a module that waits for an `import()` must retry this `import()` itself.
 */

const PAUSES_MS = [500, 2000]; // before the second and the third attempt

/**
 * The result of `load()`. After a failure call `load` again, at most twice, then throw the last error. `isFinal()`
 * returns true if another attempt is useless.
 * @template Result
 * @param {() => Promise<Result>} load
 * @param {() => Promise<boolean>} [isFinal]
 * @returns {Promise<Result>}
 */
export async function retry(load, isFinal = async () => false) {
  for (const pause of PAUSES_MS) {
    try {
      return await load();
    } catch (error) {
      if (await isFinal()) throw error;
    }
    await new Promise((done) => setTimeout(done, pause));
  }
  return load();
}
