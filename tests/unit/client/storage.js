/** A browser's storage for tests, empty before each test. */

import { beforeEach } from "node:test";

/** @type {Map<string, string>} */
export const stored = new Map();

/** @param {Pick<Storage, "getItem" | "setItem"> | undefined} value replaces the storage; undefined: it is disabled */
export const useStorage = (value) => Object.defineProperty(globalThis, "localStorage", { value, configurable: true });

beforeEach(() => {
  stored.clear();
  useStorage({ getItem: (key) => stored.get(key) ?? null, setItem: (key, value) => stored.set(key, value) });
});
