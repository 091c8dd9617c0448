/** The catalogues of words: each language has the keys of English, and its functions take as many parameters. */

import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { test } from "node:test";

const CLIENT = new URL("../../../client/", import.meta.url);
const OTHERS = ["de", "es", "fr"];

const folders = readdirSync(CLIENT, { withFileTypes: true })
  .filter((page) => page.isDirectory())
  .flatMap(({ name }) => readdirSync(new URL(name, CLIENT)).map((folder) => `${name}/${folder}`))
  .filter((folder) => existsSync(new URL(`${folder}/en.js`, CLIENT)));

/** The keys of a catalogue with the number of parameters, and a note for an empty text. */
const shape = (words, path = "") =>
  Object.entries(words).flatMap(([key, value]) => {
    if (typeof value === "function") return [`${path}${key}(${value.length})`];
    if (typeof value === "string") return [`${path}${key}${value.trim() === "" ? " is empty" : ""}`];
    assert.equal(typeof value, "object", `${path}${key}`);
    return shape(value, `${path}${key}.`);
  });

const shapeOf = async (folder, language) =>
  shape((await import(new URL(`${folder}/${language}.js`, CLIENT))).default).sort();

test("there are catalogues", () => assert.ok(folders.length > 5, folders));

for (const folder of folders)
  for (const language of OTHERS)
    test(`${folder}: ${language} has the keys and the parameters of English`, async () => {
      assert.deepEqual(await shapeOf(folder, language), await shapeOf(folder, "en"));
    });
