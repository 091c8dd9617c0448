/**
 * Sentences of a page in German, made from the server's codes: events of a replay, and refusals.
 *
 * catalogues.test.js compares the languages, and test_replay_words.py compares the codes and their parameters.
 */

import assert from "node:assert/strict";
import { test } from "node:test";

Object.defineProperty(globalThis, "navigator", { value: { languages: ["de-CH"] }, configurable: true });
const client = (path) => import(`../../../client/${path}`);
const { isolated } = await client("shared/names.js");
const { refusalWords } = await client("shared/refusals.js");
const { sentenceOf } = await client("replay/telling.js");
const crossword = await client("crossword/replay.js");
const memory = await client("memory/replay.js");
const minesweeper = await client("minesweeper/words.js");

const told = (game, code, params) => sentenceOf({ code, params }, game.tell);
const place = { player: "ann", row: 1, column: 2 };

test("an event of a replay has a sentence in the words of its game", () => {
  assert.equal(told(memory, "no-pair", { ...place, card: "B" }), "ann deckt B in Zeile 1, Spalte 2 auf: kein Paar");
  assert.equal(told(memory, "pair", { ...place, card: "A" }), "ann nimmt A in Zeile 1, Spalte 2: ein Paar");
  assert.equal(told(memory, "got", place), "ann hat gewartet und bekommt die Karte in Zeile 1, Spalte 2");
});

test("an event of all games has a sentence in the words that all games share", () => {
  assert.equal(told(memory, "joined", { player: "ann" }), "ann kommt dazu");
  const refused = { player: "ann", seat: "bob" };
  assert.equal(told(crossword, "seat-refused", refused), "ann will den Platz von bob und bekommt ihn nicht");
});

test("the sentence about an unknown event has its code", () => {
  assert.equal(told(memory, "sang-a-song", { player: "ann", verses: 3 }), "ann: sang a song (verses 3)");
});

test("the sentence about a victory names the winner, and calls a winner without a name somebody", () => {
  assert.equal(told(crossword, "won", { winner: "bob" }), "Die Partie ist zu Ende: bob gewinnt");
  assert.equal(told(crossword, "won", { winner: null }), "Die Partie ist zu Ende: jemand gewinnt");
});

test("a text from right to left is isolated from the words beside it", () => {
  assert.equal(isolated("\u2068שלום\u2069"), "\u2068שלום\u2069");
  assert.equal(
    told(memory, "no-pair", { ...place, card: "שלום" }),
    "ann deckt \u2068שלום\u2069 in Zeile 1, Spalte 2 auf: kein Paar",
  );
});

test("a refusal has the words of the page, and an unknown refusal has the server's words", () => {
  const own = minesweeper.WORDS.refusals;
  const words = "Du hast verloren: Spiel erst wieder mit, bevor du weitergräbst.";
  assert.equal(refusalWords({ code: "has-lost", error: "you have lost" }, own), words);
  assert.equal(refusalWords({ code: "no-such-code", error: "the moon is full" }, own), "The moon is full.");
});
