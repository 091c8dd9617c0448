/** The page of Four in a row. Above the board is a row for discs that wait. */

import { nameOf } from "../shared/names.js";
import { PlainPage } from "../shared/plain.js";
import { PlainBoard } from "../shared/plainboard.js";
import { WORDS } from "./words.js";

/** @import { Move, PlainEvent } from "../shared/plain.js" */

/** @typedef {{rows: number, columns: number, drops: number[]}} Board as in rules.py */
/** @typedef {{player: string, column: number}} Drop */
/** @typedef {Board & {players: string[], line: number[], waiting: Drop[]}} View */

/** @type {View} */ let view = { rows: 0, columns: 0, drops: [], players: [], line: [], waiting: [] };
/** @type {number | undefined} */ let aimed; // the column at which a mouse points
const shown = new PlainBoard({
  label: WORDS.board,
  onPress: (_, column) => press(column),
  onAim: (place) => {
    aimed = place?.column;
    show();
  },
});
const page = new PlainPage({ game: "fourinarow", words: WORDS, places: 2, onState, onEvent, next, standings });
page.start();

/** @param {number} disc */
const ownerOf = (disc) => view.players[disc % 2] ?? null;
const turn = () => ownerOf(view.drops.length); // null: that player has not joined yet
const winner = () => (view.line.length > 0 ? ownerOf(view.line[0]) : null);
const isOver = () => winner() !== null || view.drops.length === view.rows * view.columns;
const isMyTurn = () => page.me !== null && (turn() ?? (view.players.includes(page.me) ? null : page.me)) === page.me;

/** @param {any} state */
function onState({ table, line, waiting }) {
  view = { ...table.board, players: table.players, line, waiting };
  show();
}

/** @param {PlainEvent} event */
function onEvent({ is, player, column, line }) {
  const waited = view.waiting.findIndex((drop) => drop.player === player && drop.column === column);
  if (is === "Waits") view.waiting.push({ player, column });
  else if (waited >= 0) view.waiting.splice(waited, 1);
  if (is === "Dropped") {
    if (!view.players.includes(player)) view.players.push(player);
    view.drops.push(column);
    view.line = line;
    page.tell(WORDS.drops(nameOf(player), column + 1));
    if (isOver()) page.tell(next().text);
    else if (isMyTurn()) page.call(WORDS.yourTurn);
  }
  show();
}

/** @param {number} column where to drop a disc; if a disc waits there, it is called off instead */
function press(column) {
  const isThere = (/** @type {Move} */ move) => move.column === column;
  if (page.waiting.some(isThere)) page.callOff(isThere);
  else page.send({ type: "Drop", column });
}

function show() {
  const { rows, columns, drops } = view;
  const all = (/** @type {number} */ length) => Array.from({ length }, (_, at) => at);
  const waiting = all(columns).map((column) => {
    const drop = view.waiting.find((drop) => drop.column === column);
    if (drop !== undefined) return { ...cellOf(drop.player, "waits"), says: WORDS.waits(nameOf(drop.player)) };
    return column === aimed && isMyTurn() && !isOver() ? cellOf(page.me) : { look: "" };
  });
  const discs = all(rows).map((row) =>
    all(columns).map((column) => {
      const disc = drops.flatMap((at, disc) => (at === column ? [disc] : []))[rows - 1 - row];
      const look = disc === drops.length - 1 ? "last" : "";
      return cellOf(ownerOf(disc), view.line.length > 0 && !view.line.includes(disc) ? "faded" : look);
    }),
  );
  shown.show([waiting, ...discs]);
}

/**
 * @param {string | null} by
 * @param {string} look
 */
function cellOf(by, look = "") {
  const isSecond = view.players.indexOf(by ?? "") !== 0;
  return { by, look: by === null ? "hole" : `disc ${isSecond ? "ring" : ""} ${look}` };
}

function next() {
  const [won, name] = [winner(), turn() && nameOf(turn() ?? "")];
  if (won !== null) return won === page.me ? { text: WORDS.youWin, mine: true } : { text: WORDS.wins(nameOf(won)) };
  if (isOver()) return { text: WORDS.draw };
  if (page.waiting.length > 0) return { text: WORDS.waitsFor(name) };
  return isMyTurn() ? { text: WORDS.yourTurn, mine: true } : { text: WORDS.turnOf(name) };
}

function standings() {
  return view.players.map((player) => ({ player, note: player === turn() && !isOver() ? WORDS.toMove : "" }));
}
