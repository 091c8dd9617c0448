/** Solving a crossword: the chosen word, the cell for the next letter, and the typed letters that nobody else sees. */

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { Solver } from "../../../client/crossword/solver.js";
import { matchOf } from "./crossword.js";

let sent; // the drafts that the solver has sent
let shown; // the typed letters and the cursor on the board
let solver;

beforeEach(() => {
  sent = [];
  shown = {};
  solver = new Solver({
    onChoose() {},
    onTry: ({ word, text }) => sent.push(`TRY ${word.id} ${text}`),
    onChallenge: ({ word, text }) => sent.push(`CHALLENGE ${word.id} ${text}`),
    onLeave: () => sent.push("leave"),
  });
  solver.board = {
    hasFocus: true,
    show: (_match, typed) => Object.assign(shown, { typed }),
    choose: (_word, cursor) => Object.assign(shown, { cursor }),
    refresh() {},
    reveal() {},
    focus() {},
  };
});

const show = (entered, { playing = true, ...more } = {}) => solver.show(matchOf(entered, more), playing);
const press = (key, more = {}) => solver.key({ key, ...more });
const draft = () => `${solver.draft.word.id} ${solver.draft.text}`;

/** Choose a word by its clue, and type these letters. */
function type(word, letters) {
  solver.chooseWord(word);
  for (const letter of letters) press(letter);
}

test("letters go into the word one after another, and not past its end", () => {
  show({});
  type(3, "Car-");
  assert.equal(draft(), "3 ca-");
  assert.equal(solver.draft.at, 2);
  assert.equal(solver.draft.missing, 0);
  press("Home");
  press("b");
  assert.equal(draft(), "3 ba-");
});

test("typed letters stay while the other player enters words elsewhere", () => {
  show({});
  type(3, "co");
  show({ 4: ["tax", "bob"] });
  assert.equal(draft(), "3 co?");
});

test("a letter that the other player enters replaces the typed letter in its cell, and no other letter", () => {
  show({});
  type(1, "bob");
  show({ 3: ["car", "bob"] });
  assert.equal(draft(), "1 cob");
  assert.equal(solver.draft.typed, 2);
});

test("letters typed over a word stay for a challenge until the word changes or is confirmed", () => {
  show({ 3: ["car", "bob"] });
  type(3, "cab");
  show({ 3: ["car", "bob"], 4: ["tax", "bob"] });
  assert.equal(draft(), "3 cab");
  show({ 3: ["car", "bob", true], 4: ["tax", "bob"] });
  assert.equal(draft(), "3 car");
});

test("letters that were typed disappear at the end of the match, and in another match", () => {
  show({});
  type(2, "ma");
  show({}, { playing: false });
  assert.equal(shown.typed.size, 0);
  show({});
  type(2, "ma");
  show({}, { id: "m2" });
  assert.equal(shown.typed.size, 0);
});

test("a word may be typed whole, or without the letters that are there", () => {
  show({ 1: ["cat", "ann"] });
  for (const [letters, text] of [
    ["car", "car"],
    ["ar", "car"],
    ["cc", "cc?"],
  ]) {
    type(3, letters);
    assert.equal(draft(), `3 ${text}`);
    press("Escape");
  }
});

test("at a confirmed cell, another letter goes to the next cell", () => {
  show({ 3: ["car", "bob", true] });
  type(1, "");
  press("Home");
  press("x");
  assert.equal(draft(), "1 cx?");
});

test("a click chooses the word in the direction, and a second click the word that crosses it", () => {
  show({});
  solver.pick(11);
  assert.equal(solver.draft.word.id, 4);
  solver.pick(5);
  assert.equal(solver.draft.word.id, 2);
  solver.pick(5);
  assert.equal(solver.draft.word.id, 1);
  press(" ");
  assert.equal(solver.draft.word.id, 2);
  solver.pick(1); // words 1 and 3 begin here
  assert.equal(solver.draft.word.id, 3);
  solver.pick(1);
  assert.equal(solver.draft.word.id, 1);
});

test("letters begin at the clicked cell", () => {
  show({});
  solver.pick(2);
  for (const letter of "car") press(letter);
  assert.equal(draft(), "3 ?cr");
});

test("an arrow first changes the direction, then moves to the next cell, and stays on the board", () => {
  show({});
  solver.pick(5);
  press("ArrowUp");
  assert.deepEqual([solver.draft.word.id, shown.cursor], [1, 5]);
  press("ArrowUp");
  assert.equal(shown.cursor, 1);
  assert.ok(press("ArrowUp"));
  assert.equal(shown.cursor, 1);
  press("ArrowRight");
  press("ArrowRight");
  assert.deepEqual([solver.draft.word.id, shown.cursor], [3, 2]);
});

test("Tab goes through the words in the order of the clues, and leaves the board after the last word", () => {
  show({});
  const order = [solver.draft.word.id];
  while (press("Tab")) order.push(solver.draft.word.id);
  assert.deepEqual(order, [2, 3, 4, 1]);
  press("Tab", { shiftKey: true });
  assert.equal(solver.draft.word.id, 4);
  solver.chooseWord(1);
  solver.step(1, { round: true });
  assert.equal(solver.draft.word.id, 2);
  assert.ok(!press("Tab", { shiftKey: true }));
});

test("Backspace deletes this letter or the letter before, and Delete only this letter", () => {
  show({});
  type(3, "ca");
  press("Backspace");
  assert.equal(draft(), "3 c??");
  type(3, "ar");
  press("Backspace");
  press("Home");
  press("Delete");
  assert.equal(draft(), "3 ?a?");
});

test("Escape takes back the typed letters of the word, and the next Escape leaves the board", () => {
  show({});
  type(4, "ta");
  type(3, "ca");
  press("Escape");
  assert.equal(draft(), "3 ???");
  assert.deepEqual([...shown.typed.values()], ["t", "a"]);
  assert.deepEqual(sent, []);
  press("Escape");
  assert.deepEqual(sent, ["leave"]);
});

test("Enter tries the word, and with Shift challenges with it", () => {
  show({ 3: ["car", "bob"] });
  type(3, "cab");
  press("Enter");
  press("Enter", { shiftKey: true });
  assert.deepEqual(sent, ["TRY 3 cab", "CHALLENGE 3 cab"]);
});

test("keys of the browser have no effect, and a spectator moves but does not type", () => {
  show({});
  for (const key of [{ key: "a", ctrlKey: true }, { key: "a", metaKey: true }, { key: "F5" }])
    assert.ok(!solver.key(key));
  show({}, { playing: false });
  assert.ok(!press("c"));
  press("End");
  assert.equal(shown.cursor, 6);
  assert.equal(shown.typed.size, 0);
});
