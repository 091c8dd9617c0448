/** The language of a page: the browser's first language that has a catalogue, else English. */

import assert from "node:assert/strict";
import { test } from "node:test";

const CHOICES = [
  [["de-CH", "en"], "de", "de-CH"],
  [["es"], "es", "es"],
  [["pt-BR", "fr-CA", "de"], "fr", "fr-CA"],
  [["en-GB"], "en", "en-GB"],
  [["pt-BR"], "en", "en"],
  [[], "en", "en"],
];

for (const [languages, language, locale] of CHOICES)
  test(`a browser with [${languages}] gets a page in ${language}`, async () => {
    Object.defineProperty(globalThis, "navigator", { value: { languages }, configurable: true });
    const chosen = await import(`../../../client/shared/language.js?${languages}`);
    assert.deepEqual([chosen.language, chosen.locale, chosen.direction], [language, locale, "ltr"]);
  });
