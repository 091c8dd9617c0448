/** Everything the page says about the game: labels of cells, what to do next, what others did. Words only. */

import { counted } from "../shared/dom.js";

const list = (names) => (names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`);

export const placeWords = (row, column) => `row ${row + 1}, column ${column + 1}`;

/** What a screen reader says of a cell, such as "row 2, column 3, face down". */
export function cellLabel(game, me, index) {
  const cell = game.cells[index];
  const place = placeWords(...game.place(index));
  if (cell.is === "none") return `${place}, empty, taken by ${cell.by === me ? "you" : cell.by}`;
  if (cell.is === "down") return `${place}, face down`;
  const holder = cell.by === null ? "face up, free" : cell.by === me ? "face up, yours" : `face up, held by ${cell.by}`;
  const waiters = game.waitersFor(index).map((player) => (player === me ? "you" : player));
  const waiting = waiters.length === 0 ? "" : waiters[0] === "you" && waiters.length === 1 ? ", you wait for it" : `, ${list(waiters)} waiting`;
  return `${place}, ${cell.card}, ${holder}${waiting}`;
}

/**
 * What to do next: `{text, tone, action}`. `tone` is plain, mine or lost; `action` is null, "withdraw", "take"
 * (the own last pair) or "restart". `last` is how this tab's last flip came out: its rule, or null.
 */
export function nextWords(game, me, { state, waitingHere, last }) {
  if (state === "lost") return { text: "The connection is lost. Trying to reconnect…", tone: "lost", action: null };
  if (game.rows === 0) return { text: "Connecting…", tone: "plain", action: null };
  const restart = game.off.has("new") ? null : "restart";
  if (game.isOver) return { text: "The game is over: no two cards left are alike.", tone: "plain", action: restart };
  const held = game.heldBy(me);
  if (game.waiting.has(me)) {
    const cell = game.cells[game.waiting.get(me)];
    const holder = cell.is === "up" && cell.by !== null ? cell.by : "the card";
    if (!waitingHere) return { text: `You wait for ${holder} in another tab.`, tone: "plain", action: null };
    return { text: `Waiting for ${holder} to let go of ${cell.card ?? "the card"}.`, tone: "mine", action: "withdraw" };
  }
  if (game.allInHands) {
    if (held.length > 1) return { text: "Nothing left to find. Make any move to take your pair off the board.", tone: "mine", action: "take" };
    const holders = game.holdersOfPairs();
    const who = holders.length === 1 ? `${holders[0]} holds the last pair` : "the last pairs are in players' hands";
    return { text: `Nothing left to find: ${who}.`, tone: "plain", action: restart };
  }
  if (held.length > 1) {
    return { text: `A pair of ${game.cells[held[0]].card}! It is yours. Go on with another card.`, tone: "mine", action: null };
  }
  if (held.length === 1) return { text: `You hold ${game.cells[held[0]].card}. Now find its twin.`, tone: "mine", action: null };
  if (last === "2-E") return { text: "Not alike. Go on with another card.", tone: "plain", action: null };
  if (last === "2-A" || last === "2-B") return { text: "Your first card is free again. Go on with another card.", tone: "plain", action: null };
  return { text: "Turn over a card.", tone: "plain", action: null };
}

/** Which other player let go of what in one change, for whatever reason: `{player, words}`; null if nobody did. */
export function letGo(me, cells) {
  const freed = cells.filter(({ before, after }) => before.is === "up" && before.by !== null && before.by !== me && after.is === "up" && after.by !== before.by);
  if (freed.length === 0) return null;
  const player = freed[0].before.by;
  const cards = [...new Set(freed.map(({ before }) => before.card))];
  return { player, words: `${player} let go of ${freed.length > cards.length ? `the pair of ${cards[0]}` : list(cards)}.` };
}

/** Sentences that tell what others did in one change. `cells` is what Game.change returned. */
export function changeWords(game, me, cells, waiting = {}) {
  const said = [];
  const at = (index) => placeWords(...game.place(index));
  const relinquished = cells.find(({ before, after }) => before.is === "up" && before.by !== null && after.is === "up" && after.by === null);
  const taken = new Map();
  let down = 0;
  for (const { index, before, after } of cells) {
    if (after.is === "none" && before.is !== "none") taken.set(after.by, [...(taken.get(after.by) ?? []), before.card]);
    else if (before.is === "up" && after.is === "down") down += 1;
    else if (before.is === "down" && after.is === "up") {
      const who = after.by ?? relinquished?.before.by;
      if (who === undefined) said.push(`${after.card} is up at ${at(index)}.`);
      else if (who !== me) said.push(`${who} turned up ${after.card} at ${at(index)}.`);
    } else if (after.is === "up" && after.by !== null && before.by !== after.by && after.by !== me) {
      said.push(`${after.by} has ${after.card} at ${at(index)}.`);
    } else if (after.is === "up" && before.is === "up" && after.card !== before.card) {
      said.push(`${before.card} became ${after.card} at ${at(index)}.`);
    }
  }
  const freed = letGo(me, cells);
  if (freed !== null && said.length === 0) said.push(freed.words); // what else they did says as much
  for (const [player, cards] of taken) if (player !== me) said.push(`${player} took the pair of ${cards[0]}.`);
  if (down > 0) said.push(`${counted(down, "card")} turned face down.`);
  for (const [player, spot] of Object.entries(waiting)) {
    if (player !== me && spot !== null) said.push(`${player} waits at ${placeWords(...spot)}.`);
  }
  return said;
}

/** What to say of the own flip, for those who do not see it; null if the failure's toast says it. */
export function outcomeWords(game, frame) {
  const card = game.cells[game.index(frame.row, frame.column)]?.card;
  if (frame.outcome !== "ok" || card === undefined) return null;
  if (frame.rule === "2-D") return `${card}. A pair!`;
  if (frame.rule === "2-E") return `${card}. Not alike.`;
  return `${card}. Now find its twin.`;
}

/** What nobody can do on this server; "" if there is no such thing. */
export function switchedOffWords(off) {
  const parts = [];
  if (off.has("replace")) parts.push("Replacing cards");
  if (off.has("new")) parts.push(parts.length === 0 ? "New games" : "new games");
  if (parts.length === 0) return "";
  return `${list(parts)} ${off.has("new") ? "are" : "is"} switched off on this server.`;
}

/** A sentence of the server's as this page writes sentences: capital and full stop. */
export function sentence(text) {
  return `${text[0].toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}

/** The end: `{title, words}` from the standings. */
export function endWords(standings, me) {
  const best = standings[0]?.pairs ?? 0;
  const winners = standings.filter(({ pairs }) => pairs === best && best > 0).map(({ player }) => player);
  if (winners.length === 0) return { title: "Game over", words: "No two cards are alike." };
  const alone = standings.filter(({ pairs }) => pairs > 0).length === 1 && standings.length === 1;
  const pairs = counted(best, "pair");
  if (alone && winners[0] === me) return { title: "All found!", words: `You took ${best === 1 ? "the only pair" : `all ${best} pairs`}.` };
  if (winners.length > 1) {
    const names = list(winners.map((player) => (player === me ? "you" : player)));
    return { title: "A draw!", words: `${names[0].toUpperCase()}${names.slice(1)} took ${pairs} each.` };
  }
  if (winners[0] === me) return { title: "You win!", words: `You took ${pairs}, more than anybody else.` };
  return { title: `${winners[0]} wins!`, words: `${winners[0]} took ${pairs}.` };
}

/** What happened while the connection was away, from the board before and the board now. */
export function returnWords(before, game, me, awayMs) {
  const seconds = Math.max(1, Math.round(awayMs / 1000));
  const away = seconds < 120 ? counted(seconds, "second") : counted(Math.round(seconds / 60), "minute");
  const back = `Connected again after ${away}`;
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
  return `${back}. ${counted(different, "card")} changed meanwhile.${lost.length === 0 ? "" : ` You do not hold ${list(lost)} any more.`}`;
}
