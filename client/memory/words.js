/** The page's words about the game: labels of cells, what to do next, what others did. */

import { nameOf } from "../shared/names.js";
import { counted, spanWords } from "../shared/words.js";

/** @import { Cell, CellChange, FlipFrame, Game, Place, Standing } from "./game.js" */

const WARN_S = 15; // before the player's card goes to who waits for it

/** @param {string[]} names */
const list = (names) => (names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`);

/**
 * @param {number} row
 * @param {number} column
 */
export const placeWords = (row, column) => `row ${row + 1}, column ${column + 1}`;

/**
 * The label of a cell for screen readers, such as "row 2, column 3, face down".
 * @param {Game} game
 * @param {string | null} me
 * @param {number} index
 */
export function cellLabel(game, me, index) {
  const cell = game.cells[index];
  const place = placeWords(...game.place(index));
  if (cell.is === "none") return `${place}, empty, taken by ${cell.by === me ? "you" : nameOf(cell.by ?? "")}`;
  if (cell.is === "down") return `${place}, face down`;
  const left = cell.by !== null && game.hasLeft(cell.by) ? ", who has left" : "";
  const holder =
    cell.by === null
      ? "face up, free"
      : cell.by === me
        ? "face up, yours"
        : `face up, held by ${nameOf(cell.by)}${left}`;
  const waiters = game.waitersFor(index).map((player) => (player === me ? "you" : nameOf(player)));
  const waiting =
    waiters.length === 0
      ? ""
      : waiters[0] === "you" && waiters.length === 1
        ? ", you wait for it"
        : `, ${list(waiters)} waiting`;
  return `${place}, ${cell.card}, ${holder}${waiting}`;
}

/**
 * The next step for the player: `{text, tone, action}`. `tone` is plain, mine or lost; `action` is null, "withdraw",
 * "take" (the own last pair) or "restart". `last` is how this tab's last flip came out: its rule, or null.
 * @param {Game} game
 * @param {string} me
 * @param {{state: string, waitingHere: boolean, last: string | null}} now
 * @returns {{text: string, tone: string, action: null | "withdraw" | "take" | "restart"}}
 */
export function nextWords(game, me, { state, waitingHere, last }) {
  if (state === "lost") return { text: "The connection is lost. Trying to reconnect…", tone: "lost", action: null };
  if (game.rows === 0) return { text: "Connecting…", tone: "plain", action: null };
  const restart = game.off.has("new") ? null : "restart";
  if (game.isOver) return { text: "The game is over: no two cards left are alike.", tone: "plain", action: restart };
  const held = game.heldBy(me);
  const awaited = game.waiting.get(me);
  const due = game.dueIn(me);
  if (awaited !== undefined) {
    const cell = game.cells[awaited];
    const holder = cell.is === "up" && cell.by !== null ? cell.by : "the card";
    if (!waitingHere) return { text: `You wait for ${nameOf(holder)} in another tab.`, tone: "plain", action: null };
    if (game.hasLeft(holder))
      return { text: `${leftWords(game, holder)} You wait for it.`, tone: "mine", action: "withdraw" };
    const wait = game.dueIn(holder);
    const within = wait === null ? "" : `: ${counted(wait, "second")} at most`;
    return {
      text: `Waiting for ${nameOf(holder)} to let go of ${cell.card ?? "the card"}${within}.`,
      tone: "mine",
      action: "withdraw",
    };
  }
  if (due !== null && due <= WARN_S) {
    const who = list(game.waitersOf(me).map(nameOf));
    return {
      text: `${who} waits for your card. Turn one over within ${counted(due, "second")}, or it goes.`,
      tone: "lost",
      action: null,
    };
  }
  if (game.allInHands) {
    if (held.length > 1)
      return {
        text: "Nothing left to find. Make any move to take your pair off the board.",
        tone: "mine",
        action: "take",
      };
    const holders = game.holdersOfPairs();
    if (holders.length === 1 && game.hasLeft(holders[0]))
      return { text: leftWords(game, holders[0]), tone: "plain", action: restart };
    const who =
      holders.length === 1 ? `${nameOf(holders[0])} holds the last pair` : "the last pairs are in players' hands";
    return { text: `Nothing left to find: ${who}.`, tone: "plain", action: restart };
  }
  if (held.length > 1) {
    return {
      text: `A pair of ${game.cells[held[0]].card}! It is yours. Go on with another card.`,
      tone: "mine",
      action: null,
    };
  }
  if (held.length === 1)
    return { text: `You hold ${game.cells[held[0]].card}. Now find its twin.`, tone: "mine", action: null };
  if (last === "2-E") return { text: "Not alike. Go on with another card.", tone: "plain", action: null };
  if (last === "2-A" || last === "2-B")
    return { text: "Your first card is free again. Go on with another card.", tone: "plain", action: null };
  return { text: "Turn over a card.", tone: "plain", action: null };
}

/**
 * The notice that a player has left with cards, and when these come free, if they do.
 * @param {Game} game
 * @param {string} player
 */
export function leftWords(game, player) {
  const cards = list([...new Set(game.heldBy(player).map((index) => game.cells[index].card))]);
  const seconds = game.freeIn(player);
  if (seconds === null) return `${nameOf(player)} has left with ${cards}.`;
  // What has no room is the card.
  return `${nameOf(player)} has left: in ${counted(seconds, "second")} ${cards} comes free.`;
}

/**
 * The label of a button that goes to where a player is.
 * @param {string} player
 */
export const goToWords = (player) => `Go to ${nameOf(player)}`;

/**
 * The notice of a new game, and who began it.
 * @param {string | null} player
 * @param {string} me
 */
export function restartWords(player, me) {
  if (player === null) return "A new game: the cards are shuffled.";
  return `${player === me ? "You" : nameOf(player)} began a new game: the cards are shuffled.`;
}

/**
 * The notice that other players replaced cards, naming those that are face up; null if nobody else did.
 * @param {string[]} players
 * @param {string} me
 * @param {CellChange[]} cells
 */
export function replacedWords(players, me, cells) {
  const others = players.filter((player) => player !== me);
  if (others.length === 0) return null;
  const pairs = cells.filter(
    ({ before, after }) => before.is === "up" && after.is === "up" && before.card !== after.card,
  );
  const cards = [...new Set(pairs.map(({ before, after }) => `${before.card} by ${after.card}`))];
  return `${list(others.map(nameOf))} replaced ${cards.length === 0 ? "cards that lie face down" : list(cards)}.`;
}

/**
 * The notice that another player let go of cards in one change: `{player, words}`; null if nobody did.
 * @param {string} me
 * @param {CellChange[]} cells
 */
export function letGo(me, cells) {
  const freed = cells.filter(
    ({ before, after }) =>
      before.is === "up" && before.by !== null && before.by !== me && after.is === "up" && after.by !== before.by,
  );
  if (freed.length === 0) return null;
  const player = freed[0].before.by ?? "";
  const cards = [...new Set(freed.map(({ before }) => before.card))];
  return {
    player,
    words: `${nameOf(player)} let go of ${freed.length > cards.length ? `the pair of ${cards[0]}` : list(cards)}.`,
  };
}

/**
 * Sentences that tell what others did in one change. `cells` is what Game.change returned.
 * @param {Game} game
 * @param {string} me
 * @param {CellChange[]} cells
 * @param {Record<string, Place | null>} waiting
 */
export function changeWords(game, me, cells, waiting = {}) {
  const said = [];
  const at = (/** @type {number} */ index) => placeWords(...game.place(index));
  const relinquished = cells.find(
    ({ before, after }) => before.is === "up" && before.by !== null && after.is === "up" && after.by === null,
  );
  /** @type {Map<string | null, string[]>} */
  const taken = new Map();
  let down = 0;
  for (const { index, before, after } of cells) {
    if (after.is === "none" && before.is !== "none") taken.set(after.by, [...(taken.get(after.by) ?? []), before.card]);
    else if (before.is === "up" && after.is === "down") down += 1;
    else if (before.is === "down" && after.is === "up") {
      const who = after.by ?? relinquished?.before.by;
      if (who === undefined) said.push(`${after.card} is up at ${at(index)}.`);
      else if (who !== me) said.push(`${nameOf(who ?? "")} turned up ${after.card} at ${at(index)}.`);
    } else if (after.is === "up" && after.by !== null && before.by !== after.by && after.by !== me) {
      said.push(`${nameOf(after.by)} has ${after.card} at ${at(index)}.`);
    } else if (after.is === "up" && before.is === "up" && after.card !== before.card) {
      said.push(`${before.card} became ${after.card} at ${at(index)}.`);
    }
  }
  const freed = letGo(me, cells);
  if (freed !== null && said.length === 0) said.push(freed.words); // what else they did says as much
  for (const [player, cards] of taken)
    if (player !== me) said.push(`${nameOf(player ?? "")} took the pair of ${cards[0]}.`);
  if (down > 0) said.push(`${counted(down, "card")} turned face down.`);
  for (const [player, spot] of Object.entries(waiting)) {
    if (player !== me && spot !== null) said.push(`${nameOf(player)} waits at ${placeWords(...spot)}.`);
  }
  return said;
}

/**
 * The outcome of the player's own flip for screen readers; null if a toast says it.
 * @param {Game} game
 * @param {FlipFrame} frame
 */
export function outcomeWords(game, frame) {
  const card = game.cells[game.index(frame.row, frame.column)]?.card;
  if (frame.outcome !== "ok" || card === undefined) return null;
  if (frame.rule === "2-D") return `${card}. A pair!`;
  if (frame.rule === "2-E") return `${card}. Not alike.`;
  return `${card}. Now find its twin.`;
}

/**
 * The functions that are switched off on this server; "" if there are none.
 * @param {Set<string>} off
 */
export function switchedOffWords(off) {
  const parts = [];
  if (off.has("replace")) parts.push("Replacing cards");
  if (off.has("new")) parts.push(parts.length === 0 ? "New games" : "new games");
  if (parts.length === 0) return "";
  return `${list(parts)} ${off.has("new") ? "are" : "is"} switched off on this server.`;
}

/**
 * A sentence of the server with a capital and a full stop.
 * @param {string} text
 */
export function sentence(text) {
  return `${text[0].toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}

/**
 * The end: `{title, words}` from the standings.
 * @param {Standing[]} standings
 * @param {string} me
 */
export function endWords(standings, me) {
  const best = standings[0]?.pairs ?? 0;
  const winners = standings.filter(({ pairs }) => pairs === best && best > 0).map(({ player }) => player);
  if (winners.length === 0) return { title: "Game over", words: "No two cards are alike." };
  const alone = standings.filter(({ pairs }) => pairs > 0).length === 1 && standings.length === 1;
  const pairs = counted(best, "pair");
  if (alone && winners[0] === me)
    return { title: "All found!", words: `You took ${best === 1 ? "the only pair" : `all ${best} pairs`}.` };
  if (winners.length > 1) {
    const names = list(winners.map((player) => (player === me ? "you" : nameOf(player))));
    return { title: "A draw!", words: `${names[0].toUpperCase()}${names.slice(1)} took ${pairs} each.` };
  }
  if (winners[0] === me) return { title: "You win!", words: `You took ${pairs}, more than anybody else.` };
  return { title: `${nameOf(winners[0])} wins!`, words: `${nameOf(winners[0])} took ${pairs}.` };
}

/**
 * A summary of what changed while the connection was lost, from the board before and the board now.
 * @param {{rows: number, columns: number, cells: Cell[]}} before
 * @param {Game} game
 * @param {string} me
 * @param {number} awayMs
 */
export function returnWords(before, game, me, awayMs) {
  const back = `Connected again after ${spanWords(awayMs)}`;
  if (before.rows !== game.rows || before.columns !== game.columns) {
    return `${back}. It is another board now: ${counted(game.rows, "row")} of ${game.columns}.`;
  }
  let different = 0;
  game.cells.forEach((cell, index) => {
    const old = before.cells[index];
    if (cell.is !== old.is || cell.card !== old.card || cell.by !== old.by) different += 1;
  });
  if (different === 0) return `${back}. Nothing has changed.`;
  const mine = before.cells.filter((old, index) => old.is === "up" && old.by === me && game.cells[index].by !== me);
  const lost = [...new Set(mine.map(({ card }) => card))];
  const loss = lost.length === 0 ? "" : ` You no longer hold ${list(lost)}.`;
  return `${back}. ${counted(different, "card")} changed meanwhile.${loss}`;
}
