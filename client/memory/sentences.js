/** Sentences about the game, in the language of the page: labels of cards, next steps, moves of others, the end. */

import { nameOf } from "../shared/names.js";
import { SHARED } from "../shared/words.js";
import { WORDS } from "./words.js";

/** @import { Cell, CellChange, FlipFrame, Game, Place, Split, Standing } from "./game.js" */

/** @typedef {"withdraw" | "take" | "letgo" | "restart"} Action */
/** @typedef {{text: string, tone: string, action: Action | null}} Next */

const WARN_S = 15; // seconds of warning before the player's card goes to a waiting player

/**
 * A place in words, with rows and columns counted from 1.
 * @param {number} row
 * @param {number} column
 */
export const placeWords = (row, column) => WORDS.place(row + 1, column + 1);

/**
 * The label of a cell for screen readers, such as "row 2, column 3, face down".
 * @param {Game} game
 * @param {string | null} me
 * @param {number} index
 */
export function cellLabel(game, me, index) {
  const cell = game.cells[index];
  const place = placeWords(...game.place(index));
  if (cell.is === "down") return `${place}, ${WORDS.faceDown}`;
  const name = nameOf(cell.by ?? "");
  if (cell.is === "none") return `${place}, ${cell.by === me ? WORDS.takenByYou : WORDS.takenBy(name)}`;
  return [place, cell.card, holderWords(game, me, cell), ...waiterWords(game, me, index)].join(", ");
}

/**
 * The tooltip of a card that lies face up.
 * @param {Game} game
 * @param {string | null} me
 * @param {number} index
 */
export function cellTitle(game, me, index) {
  const cell = game.cells[index];
  return [cell.card, holderWords(game, me, cell), ...waiterWords(game, me, index)].join(", ");
}

/**
 * @param {Game} game
 * @param {string | null} me
 * @param {Cell} cell
 */
function holderWords(game, me, { by }) {
  if (by === null) return WORDS.free;
  if (by === me) return WORDS.yours;
  return game.hasLeft(by) ? WORDS.heldByGone(nameOf(by)) : WORDS.heldBy(nameOf(by));
}

/**
 * @param {Game} game
 * @param {string | null} me
 * @param {number} index
 */
function waiterWords(game, me, index) {
  const waiters = game.waitersFor(index);
  if (waiters.length === 0) return [];
  if (waiters.length === 1 && waiters[0] === me) return [WORDS.youAreWaiting];
  return [WORDS.waiting(waiters.map((player) => (player === me ? SHARED.you : nameOf(player))))];
}

/**
 * The next step for the player. `tone` is plain, mine or lost. `action` is the action of a button: stop waiting, take
 * the player's last pair, relinquish the player's card, or begin a new game. `last` is the rule that decided this tab's
 * last flip, or null.
 * @param {Game} game
 * @param {string} me
 * @param {{state: string, waitingHere: boolean, last: string | null}} now
 * @returns {Next}
 */
export function nextWords(game, me, { state, waitingHere, last }) {
  if (state === "moving" || state === "slow") return { text: SHARED.goesOn, tone: "plain", action: null };
  if (state === "lost") return { text: SHARED.tryingToReconnect, tone: "lost", action: null };
  if (game.rows === 0) return { text: SHARED.connecting, tone: "plain", action: null };
  if (game.isOver) return { text: WORDS.over, tone: "plain", action: game.off.has("new") ? null : "restart" };
  if (game.waiting.has(me)) return waitWords(game, me, waitingHere);
  const due = game.dueIn(me);
  if (due !== null && due <= WARN_S)
    return { text: WORDS.awaited(game.waitersOf(me).map(nameOf), due), tone: "lost", action: null };
  if (game.allInHands) return lastWords(game, me);
  return goOnWords(game, me, last);
}

/**
 * @param {Game} game
 * @param {string} me
 * @param {boolean} waitingHere
 * @returns {Next}
 */
function waitWords(game, me, waitingHere) {
  const cell = game.cells[game.waiting.get(me) ?? 0];
  const holder = cell.is === "up" && cell.by !== null ? cell.by : "";
  const name = nameOf(holder);
  if (!waitingHere) return { text: WORDS.waitElsewhere(name), tone: "plain", action: null };
  const within = game.dueIn(holder);
  const text = game.hasLeft(holder)
    ? WORDS.waitForGone(leftWords(game, holder))
    : within === null
      ? WORDS.waitFor(name, cell.card ?? "")
      : WORDS.waitForAtMost(name, cell.card ?? "", within);
  return { text, tone: "mine", action: "withdraw" };
}

/**
 * The next step when players hold all cards of the remaining pairs.
 * @param {Game} game
 * @param {string} me
 * @returns {Next}
 */
function lastWords(game, me) {
  const restart = game.off.has("new") ? null : "restart";
  const held = game.heldBy(me).length;
  if (held > 1) return { text: WORDS.takeLast, tone: "mine", action: "take" };
  const splits = game.splits();
  const mine = splits.find(({ players }) => players.includes(me));
  if (mine !== undefined) return mySplitWords(game, me, mine, restart);
  const pairs = game.holdersOfPairs();
  if (splits.length === 1 && pairs.length === 0) {
    const [{ card, players }] = splits;
    const gone = players.find((player) => game.hasLeft(player));
    if (gone === undefined) return { text: WORDS.split(card, players.map(nameOf)), tone: "plain", action: restart };
    const text = game.freeIn(gone) === null ? WORDS.splitGone(card, nameOf(gone)) : leftWords(game, gone);
    return { text, tone: "plain", action: restart };
  }
  if (splits.length > 0 || pairs.length !== 1) return { text: WORDS.lastInHands, tone: "plain", action: restart };
  const text = game.hasLeft(pairs[0]) ? leftWords(game, pairs[0]) : WORDS.lastHeldBy(nameOf(pairs[0]));
  return { text, tone: "plain", action: restart };
}

/**
 * The next step when the player holds one card of a pair, and another player holds the other card. One of the players
 * must relinquish the card, because no player waits for a second card (rule 2-B). While the other player is away, it
 * does not help if this player relinquishes the card.
 * @param {Game} game
 * @param {string} me
 * @param {Split} split
 * @param {"restart" | null} restart
 * @returns {Next}
 */
function mySplitWords(game, me, { card, players }, restart) {
  const others = players.filter((player) => player !== me);
  const other = others.find((player) => !game.hasLeft(player)) ?? others[0];
  const name = nameOf(other);
  if (!game.hasLeft(other)) return { text: WORDS.youSplit(card, name), tone: "mine", action: "letgo" };
  const within = game.freeIn(other);
  if (within === null) return { text: WORDS.youSplitGone(card, name), tone: "plain", action: restart };
  return { text: WORDS.youSplitFree(card, name, within), tone: "mine", action: null };
}

/**
 * @param {Game} game
 * @param {string} me
 * @param {string | null} rule
 * @returns {Next}
 */
function goOnWords(game, me, rule) {
  const held = game.heldBy(me);
  const card = held.length === 0 ? "" : game.cells[held[0]].card;
  const mine = (/** @type {string} */ text) => /** @type {Next} */ ({ text, tone: "mine", action: null });
  if (held.length > 1) return mine(WORDS.pairYours(card));
  if (held.length === 1) {
    if (game.liesOpen(card)) return mine(WORDS.twinOpen(card));
    const other = game.holderOfOne(card, me);
    return mine(other === null ? WORDS.youHold(card) : WORDS.twinHeld(card, nameOf(other)));
  }
  const plain = (/** @type {string} */ text) => /** @type {Next} */ ({ text, tone: "plain", action: null });
  if (rule === "2-E") return plain(WORDS.missed);
  if (rule !== "2-A" && rule !== "2-B") return plain(WORDS.turnOver);
  const last = game.pairsLeft === 1 ? game.oneHeldOneOpen() : null;
  return plain(last === null ? WORDS.freeAgain : WORDS.canTakeBoth(last.card, nameOf(last.player)));
}

/**
 * The notice that a player has left with cards, with the time until the cards become free.
 * @param {Game} game
 * @param {string} player
 */
export function leftWords(game, player) {
  const cards = [...new Set(game.heldBy(player).map((index) => game.cells[index].card))];
  const within = game.freeIn(player);
  return within === null ? WORDS.hasLeftWith(nameOf(player), cards) : WORDS.hasLeftFor(nameOf(player), cards, within);
}

/**
 * The notice of a new game, with the player who began it.
 * @param {string | null} player
 * @param {string} me
 */
export function restartWords(player, me) {
  if (player === null) return WORDS.newGameBegun;
  return player === me ? WORDS.youBegan : WORDS.began(nameOf(player));
}

/**
 * The notice that other players replaced cards, with the names of face-up cards. Return null if no other player did.
 * @param {string[]} players
 * @param {string} me
 * @param {CellChange[]} cells
 */
export function replacedWords(players, me, cells) {
  const others = players.filter((player) => player !== me).map(nameOf);
  if (others.length === 0) return null;
  const pairs = new Map();
  for (const { before, after } of cells)
    if (before.is === "up" && after.is === "up" && before.card !== after.card)
      pairs.set(`${before.card} ${after.card}`, { before: before.card, after: after.card });
  return pairs.size === 0 ? WORDS.replacedDown(others) : WORDS.replaced(others, [...pairs.values()]);
}

/**
 * The notice that another player relinquished cards in one change: `{player, words}`. Return null if no player did.
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
  const name = nameOf(player);
  const words = freed.length > cards.length ? WORDS.letGoOfPair(name, cards[0]) : WORDS.letGoOf(name, cards);
  return { player, words };
}

/**
 * The sentence that a player took a pair. The player may be `me`.
 * @param {string | null} player
 * @param {string} me
 * @param {string} card
 */
export const tookWords = (player, me, card) =>
  player === me ? WORDS.youTook(card) : WORDS.took(nameOf(player ?? ""), card);

/**
 * Sentences about the moves of other players in one change. `cells` comes from Game.change.
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
  /** @type {Map<string | null, string>} */
  const taken = new Map();
  let down = 0;
  for (const { index, before, after } of cells) {
    if (after.is === "none" && before.is !== "none") taken.set(after.by, taken.get(after.by) ?? before.card);
    else if (before.is === "up" && after.is === "down") down += 1;
    else if (before.is === "down" && after.is === "up") {
      const who = after.by ?? relinquished?.before.by;
      if (who === undefined) said.push(WORDS.isUp(after.card, at(index)));
      else if (who !== me) said.push(WORDS.turnedUp(nameOf(who ?? ""), after.card, at(index)));
    } else if (after.is === "up" && after.by !== null && before.by !== after.by && after.by !== me) {
      said.push(WORDS.has(nameOf(after.by), after.card, at(index)));
    } else if (after.is === "up" && before.is === "up" && after.card !== before.card) {
      said.push(WORDS.became(before.card, after.card, at(index)));
    }
  }
  const freed = letGo(me, cells);
  if (freed !== null && said.length === 0) said.push(freed.words); // other sentences about the change suffice
  for (const [player, card] of taken) if (player !== me) said.push(tookWords(player, me, card));
  if (down > 0) said.push(WORDS.turnedDown(down));
  for (const [player, spot] of Object.entries(waiting))
    if (player !== me && spot !== null) said.push(WORDS.waitsAt(nameOf(player), placeWords(...spot)));
  return said;
}

/**
 * The outcome of the player's own flip for screen readers, or null if a toast says the outcome.
 * @param {Game} game
 * @param {FlipFrame} frame
 */
export function outcomeWords(game, frame) {
  const card = game.cells[game.index(frame.row, frame.column)]?.card;
  if (frame.outcome !== "ok" || card === undefined) return null;
  if (frame.rule === "2-D") return WORDS.aPair(card);
  return frame.rule === "2-E" ? WORDS.notAlike(card) : WORDS.findTwin(card);
}

/**
 * The reason why the player's own flip failed.
 * @param {string | null} rule
 * @param {{waited: boolean, own: boolean}} how `own`: the player flipped the player's own first card
 */
export function failureWords(rule, { waited, own }) {
  if (rule === "1-A") return waited ? WORDS.gone : WORDS.empty;
  if (rule === "2-A") return WORDS.emptySecond;
  return own ? WORDS.sameSecond : WORDS.takenSecond;
}

/**
 * The notice of functions that this server disables, or "" if all functions are enabled.
 * @param {Set<string>} off
 */
export function switchedOffWords(off) {
  if (off.has("replace")) return off.has("new") ? WORDS.bothOff : WORDS.replaceOff;
  return off.has("new") ? WORDS.newOff : "";
}

/**
 * The text of the end dialog, `{title, words}`, from the standings.
 * @param {Standing[]} standings
 * @param {string} me
 */
export function endWords(standings, me) {
  const best = standings[0]?.pairs ?? 0;
  const winners = standings.filter(({ pairs }) => pairs === best && best > 0).map(({ player }) => player);
  if (winners.length === 0) return { title: WORDS.gameOver, words: WORDS.noneAlike };
  if (standings.length === 1 && winners[0] === me) return { title: WORDS.allFound, words: WORDS.youTookAll(best) };
  if (winners.length > 1) {
    const others = winners.filter((player) => player !== me).map(nameOf);
    return { title: WORDS.draw, words: WORDS.drew(others, winners.includes(me), best) };
  }
  if (winners[0] === me) return { title: WORDS.youWin, words: WORDS.youTookMost(best) };
  return { title: WORDS.wins(nameOf(winners[0])), words: WORDS.tookPairs(nameOf(winners[0]), best) };
}

/**
 * The words about a player's memory, or "" if there are no figures or the player had no turn.
 * @param {Record<string, number>} [figures]
 */
export function figureWords({ turns = 0, found, matches, streak, memory } = {}) {
  return turns === 0 ? "" : WORDS.figures((found ?? matches) / turns, streak, memory);
}

/**
 * A summary of the changes while the connection was lost, from the earlier board and the present board. If `awayMs` is
 * null because the game moved to another process, the summary has only the changes.
 * @param {{rows: number, columns: number, cells: Cell[]}} before
 * @param {Game} game
 * @param {string} me
 * @param {number | null} awayMs
 */
export function returnWords(before, game, me, awayMs) {
  const back = awayMs === null ? [] : [SHARED.connectedAgain(awayMs)];
  if (before.rows !== game.rows || before.columns !== game.columns)
    return [...back, WORDS.otherBoard(game.rows, game.columns)].join(" ");
  let different = 0;
  game.cells.forEach((cell, index) => {
    const old = before.cells[index];
    if (cell.is !== old.is || cell.card !== old.card || cell.by !== old.by) different += 1;
  });
  if (different === 0) return awayMs === null ? "" : [...back, SHARED.nothingChanged].join(" ");
  const mine = before.cells.filter((old, index) => old.is === "up" && old.by === me && game.cells[index].by !== me);
  const lost = [...new Set(mine.map(({ card }) => card))];
  const released = lost.length === 0 ? [] : [WORDS.noLongerHold(lost)];
  return [...back, WORDS.changedMeanwhile(different), ...released].join(" ");
}
