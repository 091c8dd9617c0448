/**
 * The moves of a recording in this page's language: sentences made from what a move has changed. A move without such a
 * sentence is shown in the server's words, which are English and have players' IDs. Names cannot take the place of
 * these IDs, because an ID may be any word.
 */

import { language } from "../shared/language.js";
import { nameOf } from "../shared/names.js";
import { WORDS } from "./words.js";

/** @import { Overview, Step } from "./reel.js" */
/** @import { PlacedCell } from "./memory.js" */

/** @type {typeof import("./moves/en.js").default} */
const MOVES = (await import(`./moves/${language}.js`)).default;

/** @typedef {{words: string, also: string[]}} Told */

/**
 * A step with words of this page's language, as far as it has any; `lang` says which language they are in.
 * @param {Step} step
 * @param {Overview} overview
 * @returns {Step & {lang: string}}
 */
export function inWords(step, { kind, frame }) {
  const told = TELLERS[kind]?.(step, frame.columns) ?? eventWords(step, frame.columns);
  return told === null ? { ...step, lang: "en" } : { ...step, ...told, lang: language };
}

/**
 * That a match has ended, and who has won; null if nobody has.
 * @param {string | null} winner
 */
export const overWords = (winner) => MOVES.over(winner === null ? null : nameOf(winner));

/**
 * What happened beside the game: somebody comes, or leaves, or has been away for long.
 * @param {Step} step
 * @param {number} columns
 * @returns {Told | null}
 */
function eventWords(step, columns) {
  const { player, change } = step;
  const words = MOVES.events[change.event]?.(player === null ? MOVES.somebody : nameOf(player));
  if (words === undefined) return null;
  return { words, also: change.over ? [overWords(change.winner ?? null)] : consequences(step, columns) };
}

/** @type {Record<string, ((step: Step, columns: number) => Told | null) | undefined>} */
const TELLERS = { memory: memoryWords, minesweeper: minesweeperWords, crossword: crosswordWords };

/**
 * @param {number} index of a square
 * @param {number} columns
 */
const placeOf = (index, columns) => WORDS.place(Math.floor(index / columns) + 1, (index % columns) + 1);

/**
 * @param {Step} step
 * @param {number} columns
 * @returns {Told | null}
 */
function memoryWords(step, columns) {
  const { player, rule, change } = step;
  if (player === null) return null;
  const who = nameOf(player);
  /** @type {PlacedCell[]} */ const cells = change.cells ?? [];
  if (change.restart) return { words: MOVES.newGame(who), also: [] };
  if (typeof change.flip !== "number") return null;
  const at = placeOf(change.flip, columns);
  const card = cells.find(([index]) => index === change.flip)?.[1] ?? MOVES.aCard;
  /** @type {Record<string, (who: string, card: string, at: string) => string>} */
  const byRule = {
    "1-A": MOVES.nothing,
    "2-A": MOVES.nothing,
    "1-B": MOVES.turnsUp,
    "1-C": MOVES.takes,
    "1-D": MOVES.waits,
    "2-B": MOVES.held,
    "2-D": MOVES.pair,
    "2-E": MOVES.noPair,
  };
  return { words: (byRule[rule ?? ""] ?? MOVES.busy)(who, card, at), also: consequences(step, columns) };
}

/**
 * What else a change of Memory Scramble has brought about: for the cards, and for those who waited for them.
 * @param {Step} step
 * @param {number} columns
 * @returns {string[]}
 */
function consequences({ player, change }, columns) {
  /** @type {PlacedCell[]} */ const cells = change.cells ?? [];
  const also = [];
  const taken = cells.find(([, shown, by]) => shown === null && by);
  if (taken?.[2]) also.push(MOVES.leaves(nameOf(taken[2])));
  const down = cells.filter((cell) => cell.length === 1).length;
  if (down > 0) also.push(MOVES.down(down));
  for (const [other, index] of Object.entries(change.waiting ?? {})) {
    if (index !== null || other === player) continue;
    const got = cells.find(([, shown, by]) => typeof shown === "string" && by === other);
    also.push(got === undefined ? MOVES.inVain(nameOf(other)) : MOVES.gets(nameOf(other), placeOf(got[0], columns)));
  }
  return also;
}

/**
 * @param {Step} step
 * @param {number} columns
 * @returns {Told | null}
 */
function minesweeperWords({ player, rule, change }, columns) {
  if (player === null || rule === null) return null;
  const [run] = change.runs ?? [];
  const index = change.dig ?? (run === undefined ? null : run[1] * columns + run[0]);
  if (index === null) return rule.endsWith(" 1") ? { words: MOVES.events["in-vain"](nameOf(player)), also: [] } : null;
  const [who, at] = [nameOf(player), placeOf(index, columns)];
  if (rule === "CHORD") return { words: change.booms ? MOVES.chordBoom(who, at) : MOVES.chord(who, at), also: [] };
  /** @type {Record<string, (who: string, at: string) => string>} */
  const byRule = {
    "DIG 1": MOVES.digsInVain,
    "DIG 2": MOVES.digs,
    "DIG 3": MOVES.boom,
    "DIG 4": MOVES.digs,
    "FLAG 2": MOVES.flags,
    "DEFLAG 2": MOVES.deflags,
  };
  const words = byRule[rule]?.(who, at);
  return words === undefined ? null : { words, also: [] };
}

/**
 * @param {Step} step
 * @returns {Told | null}
 */
function crosswordWords({ player, rule, change }) {
  if (player === null) return null;
  const who = nameOf(player);
  const also = change.over ? [overWords(change.winner ?? null)] : [];
  if (rule === "EXIT" && typeof change.match === "number") return { words: MOVES.givesUp(who), also };
  if (typeof change.word !== "number") return null;
  /** @type {{id: number, text: string | null}[]} */ const changed = change.words ?? [];
  const text = changed.find(({ id }) => id === change.word)?.text ?? null;
  const cleared = changed.filter(({ id, text }) => text === null && id !== change.word).map(({ id }) => String(id));
  if (cleared.length > 0) also.unshift(MOVES.cleared(cleared));
  if (rule === "TRY")
    return { words: text === null ? MOVES.triesWrong(who, change.word) : MOVES.enters(who, text, change.word), also };
  if (rule === "CHALLENGE won" && text !== null) return { words: MOVES.wins(who, text, change.word), also };
  if (rule === "CHALLENGE lost")
    return { words: (text === null ? MOVES.bothWrong : MOVES.wasRight)(who, change.word), also };
  return null;
}
