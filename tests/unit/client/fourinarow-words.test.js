/**
 * The words of the example game in docs/examples/fourinarow. Each language has a text for each key of English, with the
 * same placeholders, and different from the English text. `pick` would replace a missing text by the English text.
 */

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { after, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const CLIENT = fileURLToPath(new URL("../../../client", import.meta.url));
const EXAMPLE = fileURLToPath(new URL("../../../docs/examples/fourinarow/fourinarow", import.meta.url));
const CODES = [...readFileSync(`${EXAMPLE}/kind.py`, "utf8").matchAll(/^ {8}"([a-z-]+)": "/gm)].map(([, code]) => code);
const SAMPLES = [
  ["Ann", 7],
  [null, 7], // a player who is missing
];

const sites = mkdtempSync(`${tmpdir()}/fourinarow-`);
after(() => rmSync(sites, { recursive: true }));

/** All texts of the page and the replay, by key, as a browser with this language shows them. */
async function textsIn(language) {
  const site = `${sites}/${language}`; // each language has its own copy of the modules, because a page has one language
  cpSync(CLIENT, site, { recursive: true });
  cpSync(`${EXAMPLE}/client`, `${site}/fourinarow`, { recursive: true });
  Object.defineProperty(globalThis, "navigator", { value: { languages: [language] }, configurable: true });
  const { WORDS } = await import(pathToFileURL(`${site}/fourinarow/words.js`));
  const { tell } = await import(pathToFileURL(`${site}/fourinarow/replay.js`));
  const told = CODES.map((code) => [`replay.${code}`, tell({ code, params: { player: "Ann", column: 7 } })]);
  return new Map([...textsOf(WORDS), ...told]);
}

const textsOf = (words, path = "") =>
  Object.entries(words).flatMap(([key, value]) => {
    if (typeof value === "string") return [[`${path}${key}`, value]];
    if (typeof value === "function") return SAMPLES.map((sample) => [`${path}${key}(${sample})`, value(...sample)]);
    return textsOf(value, `${path}${key}.`);
  });

const placeholders = (text) => text.match(/Ann|7|null|undefined/g)?.sort() ?? [];

const english = await textsIn("en");

test("there are English texts for the page and for each code of the replay", () => {
  assert.ok(english.size > 20);
  assert.ok(CODES.length > 3);
  for (const [key, text] of english) assert.match(text ?? "", /\w/, key);
});

for (const language of ["de", "es", "fr"])
  test(`${language} has a text of its own for each English text, with the same placeholders`, async () => {
    const texts = await textsIn(language);
    assert.deepEqual([...texts.keys()].sort(), [...english.keys()].sort());
    for (const [key, text] of texts) {
      assert.notEqual(text, english.get(key), key);
      assert.deepEqual(placeholders(text), placeholders(english.get(key)), key);
    }
  });
