/** The daily challenge: times, squares, the text to share, and the streak of days. */

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  continued,
  keptStreak,
  lengthOn,
  noteResult,
  resultText,
  squares,
  timeWords,
} from "../../../client/shared/daily.js";
import { stored, useStorage } from "./storage.js";

const KIND = /** @type {any} */ ({ stars: ({ misses }) => (misses === undefined ? null : 3 - misses) });

test("a time has seconds, and from two minutes on the form of a clock", () => {
  assert.deepEqual([0.4, 42.9, 119, 120, 187, 3723].map(timeWords), [
    "0\u00a0s",
    "42\u00a0s",
    "119\u00a0s",
    "2:00",
    "3:07",
    "1:02:03",
  ]);
});

test("squares are green for each star, and missing if the quality is unknown", () => {
  assert.deepEqual(
    [0, 1, 3, 9].map((misses) => squares(KIND, { misses })),
    ["🟩🟩🟩", "🟩🟩🟨", "🟨🟨🟨", "🟨🟨🟨"],
  );
  assert.equal(squares(KIND, {}), "");
});

test("the text to share has the number, the time, the squares and the link, and nothing of the board", () => {
  const result = { title: "Memory Scramble", number: 214, kind: KIND, link: "https://x/" };
  assert.equal(
    resultText({ ...result, entry: { seconds: 42, figures: { misses: 1 } } }),
    "Memory Scramble #214, 42\u00a0s, 🟩🟩🟨\nhttps://x/",
  );
  assert.equal(
    resultText({ ...result, entry: { seconds: 42, figures: {} } }),
    "Memory Scramble #214, 42\u00a0s\nhttps://x/",
  );
});

test("a streak grows by a day once, over the end of a month, and begins anew after a missed day", () => {
  const first = continued(null, "2026-11-29");
  assert.deepEqual(first, { day: "2026-11-29", length: 1 });
  assert.equal(continued(first, "2026-11-29"), first);
  const second = continued(first, "2026-11-30");
  const third = continued(second, "2026-12-01");
  assert.deepEqual(third, { day: "2026-12-01", length: 3 });
  assert.deepEqual(continued(third, "2026-12-03"), { day: "2026-12-03", length: 1 });
  assert.equal(continued(third, "2026-11-30"), third); // a clock that went back
});

test("a streak lasts until the end of the next day", () => {
  const streak = { day: "2026-11-29", length: 4 };
  assert.deepEqual(
    ["2026-11-29", "2026-11-30", "2026-12-01"].map((day) => lengthOn(streak, day)),
    [4, 4, 0],
  );
  assert.equal(lengthOn(null, "2026-11-29"), 0);
});

test("the streak stays in the browser, and invalid or disabled storage means no streak", () => {
  noteResult("2026-11-29");
  noteResult("2026-11-30");
  assert.deepEqual(keptStreak(), { day: "2026-11-30", length: 2 });
  for (const content of ["{", "null", '{"day": "soon", "length": 2}', '{"day": "2026-11-30", "length": "2"}']) {
    stored.set("scramble.daily", content);
    assert.equal(keptStreak(), null, content);
  }
  useStorage(undefined);
  noteResult("2026-12-01");
  assert.equal(keptStreak(), null);
});
