/** Durations, numbers and plurals in the four languages. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { clockWords, grammar } from "../../../client/shared/grammar.js";

const SPANS = [300, 1_999, 59_999, 60_000, 91_700, 3_723_000];
const CLOCK = ["1:00", "1:31", "1:02:03"];
const SECONDS = {
  en: ["1 second", "1 second", "59 seconds"],
  de: ["1 Sekunde", "1 Sekunde", "59 Sekunden"],
  es: ["1 segundo", "1 segundo", "59 segundos"],
  fr: ["1 seconde", "1 seconde", "59 secondes"],
};

for (const [language, seconds] of Object.entries(SECONDS))
  test(`a span in ${language} is in seconds, and from one minute on as on a clock`, () => {
    const spans = SPANS.map((span) => grammar(language).span(span).replaceAll("\u00a0", " "));
    assert.deepEqual(spans, [...seconds, ...CLOCK]);
  });

test("a clock has two digits for all parts but the first", () => {
  assert.deepEqual([0, 5_000, 59_999, 600_000, 36_000_000].map(clockWords), [
    "0:00",
    "0:05",
    "0:59",
    "10:00",
    "10:00:00",
  ]);
});
