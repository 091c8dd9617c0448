/**
 * The sentences of Memory Scramble: the next step, the labels of cells, the moves of other players, a reconnection and
 * the end.
 */

import "./english.js";

import assert from "node:assert/strict";
import { mock, test } from "node:test";

import {
  cellLabel,
  cellTitle,
  changeWords,
  endWords,
  failureWords,
  figureWords,
  nextWords,
  outcomeWords,
  replacedWords,
  restartWords,
  returnWords,
  switchedOffWords,
} from "../../../client/memory/sentences.js";
import { change, gameOf } from "./memory.js";

mock.method(performance, "now", () => 0); // no second passes between a frame and its words

const SPLIT = ["-/ann", "A/ann", "-/ann", "A/bob"];
const TWO_KINDS = [...SPLIT, "B/cat", "B/cat"];

/** The next step of `me`, as its text and the action of its button. */
function next(me, game, { state = "online", waitingHere = true, last = null } = {}) {
  const { text, action } = nextWords(game, me, { state, waitingHere, last });
  return [text, action];
}

/** The cells, the player of the page, the text and the action. */
const LAST_CARDS = [
  [SPLIT, {}, "ann", "bob holds the other A: one of you must let go.", "letgo"],
  [SPLIT, {}, "bob", "ann holds the other A: one of you must let go.", "letgo"],
  [SPLIT, {}, "cat", "ann and bob hold one A each: one of them must let go.", "restart"],
  [SPLIT, { off: ["new"] }, "", "ann and bob hold one A each: one of them must let go.", null],
  [
    SPLIT,
    { left: { bob: null } },
    "ann",
    "bob has left with the other A. Only bob or a new game can go on.",
    "restart",
  ],
  [
    SPLIT,
    { left: { bob: 20 } },
    "ann",
    "bob has left: in 20 seconds the other A comes free, and you can take it.",
    null,
  ],
  [
    SPLIT,
    { left: { bob: null } },
    "cat",
    "bob has left with one of the last A. Only bob or a new game can go on.",
    "restart",
  ],
  [SPLIT, { left: { bob: 20 } }, "cat", "bob has left: in 20 seconds A comes free.", "restart"],
  [SPLIT, { waiting: { cat: [0, 1] } }, "cat", "Waiting for ann to let go of A.", "withdraw"],
  [["A/ann", "A/ann"], {}, "ann", "Nothing left to find. Make any move to take your pair off the board.", "take"],
  [["A/ann", "A/ann"], {}, "bob", "Nothing left to find: ann holds the last pair.", "restart"],
  [["A/ann", "A/ann"], { left: { ann: 20 } }, "bob", "ann has left: in 20 seconds A comes free.", "restart"],
  [TWO_KINDS, { pairs_left: 2 }, "cat", "Nothing left to find. Make any move to take your pair off the board.", "take"],
  [TWO_KINDS, { pairs_left: 2 }, "ann", "bob holds the other A: one of you must let go.", "letgo"],
  [TWO_KINDS, { pairs_left: 2 }, "dan", "Nothing left to find: the last pairs are in players' hands.", "restart"],
];

for (const [cells, frame, me, text, action] of LAST_CARDS)
  test(`of the last cards, ${me || "a spectator"} reads: ${text}`, () => {
    assert.deepEqual(next(me, gameOf(cells, frame)), [text, action]);
  });

test("what the player does next depends on the held cards and on the last flip", () => {
  const A_FREE = "Your first card is free again. Go on with another card.";
  for (const [cells, last, text] of [
    [["?", "?"], null, "Turn over a card."],
    [["A/ann", "?"], "1-B", "You hold A. Now find its twin."],
    [["A/ann", "A"], "1-B", "You hold A, and its twin lies open. Take it!"],
    [["A/ann", "A/bob", "?", "?"], "1-B", "You hold A, and bob has one, too. Any other card lets yours go."],
    [["A/ann", "A/ann", "?", "?"], "2-D", "A pair of A! It is yours. Go on with another card."],
    [["A", "B", "?", "?"], "2-E", "Not alike. Go on with another card."],
    [["A", "-/bob", "?", "?"], "2-A", A_FREE],
    [["A", "B/bob", "?", "?"], "2-B", A_FREE],
    [["A/bob", "A/cat", "A/dan", "?"], null, "Turn over a card."],
  ])
    assert.deepEqual(next("ann", gameOf(cells, { pairs_left: 2 }), { last }), [text, null], text);
  const lastPair = gameOf(["A", "A/bob"]);
  assert.deepEqual(next("ann", lastPair, { last: "2-B" }), ["Your A is free again: bob can take both now.", null]);
  assert.deepEqual(next("bob", gameOf(["-/ann", "-/ann"], { pairs_left: 0 })), [
    "The game is over: no two cards left are alike.",
    "restart",
  ]);
});

test("a waiting player reads the name of the holder, the time, and whether another tab of the player waits", () => {
  const cells = ["A/ann", "?"];
  const waiting = { bob: [0, 0] };
  const game = gameOf(cells, { waiting });
  assert.deepEqual(next("bob", game), ["Waiting for ann to let go of A.", "withdraw"]);
  assert.deepEqual(next("bob", game, { waitingHere: false }), ["You wait for ann in another tab.", null]);
  const gone = gameOf(cells, { waiting, left: { ann: null } });
  assert.deepEqual(next("bob", gone), ["ann has left with A. You wait for it.", "withdraw"]);
  game.clockCame({ due: { ann: 15 } });
  assert.deepEqual(next("bob", game), ["Waiting for ann to let go of A: 15 seconds at most.", "withdraw"]);
  const warning = "bob waits for your card. Turn one over within 15 seconds, or it goes.";
  assert.deepEqual(next("ann", game), [warning, null]);
  game.clockCame({ due: { ann: 16 } });
  assert.deepEqual(next("ann", game), ["You hold A. Now find its twin.", null]);
});

test("a line about the connection stands before everything else", () => {
  const game = gameOf(["A/ann", "A/ann"]);
  assert.match(next("ann", game, { state: "lost" })[0], /^The connection is lost/);
  for (const state of ["slow", "moving"]) assert.match(next("ann", game, { state })[0], /^One moment/);
});

test("the label of a cell has its place, card, holder and waiting players, and the tooltip has no place", () => {
  const cells = ["?", "-/ann", "-/bob", "A", "A/ann", "A/bob", "A/cat"];
  const waiting = { dan: [0, 4], ann: [0, 5], eve: [0, 6], bob: [0, 6] };
  const game = gameOf(cells, { waiting, left: { cat: null } });
  const labels = cells.map((_, index) => cellLabel(game, "ann", index).replace(`row 1, column ${index + 1}, `, ""));
  assert.deepEqual(labels, [
    "face down",
    "empty, taken by you",
    "empty, taken by bob",
    "A, face up, free",
    "A, face up, yours, dan waiting",
    "A, face up, held by bob, you wait for it",
    "A, face up, held by cat, who has left, eve and bob waiting",
  ]);
  assert.match(cellLabel(game, "bob", 6), /eve and you waiting$/);
  assert.equal(cellTitle(game, "ann", 3), "A, face up, free");
});

/** The cells before, the changed cells by column, and ann's sentences about the change. */
const CHANGES = [
  [["?"], { 0: "A/bob" }, ["bob turned up A at row 1, column 1."]],
  [["?"], { 0: "A/ann" }, []],
  [["?"], { 0: "A" }, ["A is up at row 1, column 1."]],
  [["A"], { 0: "A/bob" }, ["bob has A at row 1, column 1."]],
  [["A/bob", "?"], { 0: "A", 1: "B" }, ["bob turned up B at row 1, column 2."]],
  [["A/bob"], { 0: "A" }, ["bob let go of A."]],
  [["A/bob", "A/bob"], { 0: "A", 1: "A" }, ["bob let go of the pair of A."]],
  [["A/ann"], { 0: "A" }, []],
  [["A", "B"], { 0: "?", 1: "?" }, ["2 cards turned face down."]],
  [["A/bob"], { 0: "Z/bob" }, ["A became Z at row 1, column 1."]],
  [["A/bob", "A/bob"], { 0: "-/bob", 1: "-/bob" }, ["bob took the pair of A."]],
  [["A/ann", "A/ann"], { 0: "-/ann", 1: "-/ann" }, []],
];

for (const [before, after, words] of CHANGES)
  test(`after a change from ${before} to ${Object.values(after)} ann reads: ${words.join(" ") || "nothing"}`, () => {
    const game = gameOf(before);
    assert.deepEqual(changeWords(game, "ann", change(game, after).cells), words);
  });

test("the other players read that a player begins to wait", () => {
  const waiting = { bob: [0, 1], ann: [0, 0], cat: null };
  assert.deepEqual(changeWords(gameOf(["A", "B"]), "ann", [], waiting), ["bob waits at row 1, column 2."]);
});

test("the other players read of replaced cards, with the names of face-up cards only", () => {
  const game = gameOf(["A/bob", "A", "?"]);
  const { cells } = change(game, { 0: "Z/bob", 1: "Z" });
  assert.equal(replacedWords(["bob"], "ann", cells), "bob replaced A by Z.");
  assert.equal(replacedWords(["bob"], "ann", []), "bob replaced cards that lie face down.");
  assert.equal(replacedWords(["ann"], "ann", cells), null);
  assert.equal(replacedWords([], "ann", cells), null);
});

test("the sentence about a new game has the name of the player who began it", () => {
  assert.deepEqual(
    ["ann", "bob", null].map((player) => restartWords(player, "ann")),
    [
      "You began a new game: the cards are shuffled.",
      "bob began a new game: the cards are shuffled.",
      "A new game: the cards are shuffled.",
    ],
  );
});

test("after a reconnection the player reads what changed, and which cards are no longer the player's", () => {
  const before = { rows: 1, columns: 3, cells: gameOf(["A/ann", "A/ann", "?"]).cells };
  const words = (cells, awayMs = 5_000) => returnWords(before, gameOf(cells), "ann", awayMs);
  const back = "Connected again after 5 seconds.";
  assert.equal(words(["A/ann", "A/ann", "?"]), `${back} Nothing has changed.`);
  assert.equal(words(["A/ann", "A/ann", "B/bob"]), `${back} 1 card changed meanwhile.`);
  assert.equal(words(["A", "-/bob", "?"]), `${back} 2 cards changed meanwhile. You no longer hold A.`);
  assert.equal(words(["A"]), `${back} It is another board now: 1 row of 1.`);
  assert.equal(words(["A/ann", "A/ann", "?"], null), "");
  assert.equal(words(["A/ann", "A/ann", "B"], null), "1 card changed meanwhile.");
});

test("the sentence about a flip has its outcome, or the rule by which it failed", () => {
  const outcome = (rule, outcome = "ok") =>
    outcomeWords(gameOf(["A/ann"]), { id: 1, row: 0, column: 0, outcome, rule, reason: "" });
  assert.deepEqual(
    ["1-B", "2-D", "2-E"].map((rule) => outcome(rule)),
    ["A. Now find its twin.", "A. A pair!", "A. Not alike."],
  );
  assert.equal(outcome("1-A", "failed"), null);
  const failure = (rule, how = {}) => failureWords(rule, { waited: false, own: false, ...how });
  assert.match(failure("1-A"), /^There is no card there\.$/);
  assert.match(failure("1-A", { waited: true }), /was removed while you were waiting/);
  assert.match(failure("2-A"), /no card there, and you give up your first card/);
  assert.match(failure("2-B"), /Another player controls that card/);
  assert.match(failure("2-B", { own: true }), /your first card itself/);
});

test("functions that a server disables are named", () => {
  assert.deepEqual(
    [[], ["new"], ["replace"], ["new", "replace"]].map((off) => switchedOffWords(new Set(off))),
    [
      "",
      "New games are switched off on this server.",
      "Replacing cards is switched off on this server.",
      "Replacing cards and new games are switched off on this server.",
    ],
  );
});

test("the end is a victory, a draw, a solo game, or a game without pairs", () => {
  const end = (me, ...pairs) => {
    const standings = pairs.map(([player, pairs]) => ({ player, pairs, here: true }));
    const { title, words } = endWords(standings, me);
    return `${title} ${words}`;
  };
  assert.equal(end("ann", ["ann", 3]), "All found! You took all 3 pairs.");
  assert.equal(end("ann", ["ann", 1]), "All found! You took the only pair.");
  assert.equal(end("ann", ["ann", 2], ["bob", 1]), "You win! You took 2 pairs, more than anybody else.");
  assert.equal(end("bob", ["ann", 2], ["bob", 1]), "ann wins! ann took 2 pairs.");
  assert.equal(end("bob", ["ann", 1], ["bob", 1]), "A draw! You and ann took 1 pair each.");
  assert.equal(end("cat", ["ann", 1], ["bob", 1], ["cat", 0]), "A draw! ann and bob took 1 pair each.");
  assert.equal(end("ann", ["ann", 0], ["bob", 0]), "Game over No two cards are alike.");
});

test("the figures of a memory count pairs that the player found, or without that number matches", () => {
  assert.equal(figureWords({ turns: 4, found: 2, matches: 1, streak: 2, memory: 1 }), "Hits 50% · streak 2 · memory 1");
  assert.equal(figureWords({ turns: 4, matches: 1, streak: 1, memory: 0 }), "Hits 25% · streak 1 · memory 0");
  assert.equal(figureWords({ turns: 0 }), "");
  assert.equal(figureWords(), "");
});
