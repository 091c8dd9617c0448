/**
 * The dialog at the end of a game in a room: the winners, a table with the figures of each player, the series of games,
 * and the buttons for the next game.
 */

import { confetti, countUp } from "./celebration.js";
import { dailyResult } from "./dailyresult.js";
import { element, setText } from "./dom.js";
import { showFigures } from "./figures.js";
import { headlineOf, outcomeOf } from "./headline.js";
import { loadKind } from "./kinds.js";
import { myRecord } from "./myrecord.js";
import { nameOf } from "./names.js";
import { portrait } from "./player.js";
import { ask, Refused } from "./rooms.js";
import { fitRows } from "./screen.js";
import { soundOffer } from "./sound.js";
import { ROOM, SHARED } from "./words.js";

/** @import { Headline } from "./headline.js" */
/** @import { Column, KnownKind } from "./kinds.js" */
/** @import { Room } from "./room.js" */
/** @import { Figures, RoomInfo } from "./rooms.js" */

/** @typedef {{span: number, figures: Map<string, Figures>}} Told the data of the recording */

const READ_MS = 400; // pause between two requests while the server is still reading the recording
const MOST_LOOKS = 10;
const MOST_ROWS = 12;

/**
 * The columns of a game without its own columns.
 * @type {Column[]}
 */
const POINTS = [[ROOM.points, ({ score }) => score]];

/**
 * True if these are the figures of a single player, who played against the clock.
 * @param {Figures} figures
 */
const isAlone = ({ seconds }) => seconds !== undefined;

export class Ending {
  #room;
  #me;
  #onAgain;
  #headline = element("p", { class: "ending-headline" });
  #offer = element("div", {});
  /** @type {HTMLElement} */ #winner = element("div", { class: "winner", "aria-hidden": "true" });
  #title = element("h2", { id: "ending-title", tabindex: -1, autofocus: true });
  #note = element("p", { class: "ending-note", hidden: true });
  #words = element("p", { class: "ending-words" });
  #table = element("table", { class: "figures" });
  #frame = element("div", { class: "figures-frame" }, this.#table);
  #more = element("p", { class: "standings-more", hidden: true }); // on a projector's screen
  #others = 0; // the number of players that are not in the table
  #hint = element("p", { class: "hint", hidden: true });
  #series = element("p", { class: "hint ending-series" });
  #daily = element("div", {});
  #mine = element("div", { class: "my-record" });
  #again;
  #another;
  #replay = element("a", { class: "button", href: "replay", text: SHARED.replay });
  #file = element("a", { class: "ending-file", download: "", hidden: true });
  #dialog;
  #isShown = false;
  #ownRecord = ""; // a new record of my own replaces the headline
  #recorded = 0; // the duration of the recording in milliseconds
  /** @type {number | null} */ #lasted = null; // the duration by the game's own clock, in milliseconds

  /**
   * `me()` returns the player of this tab, or null for a spectator. `onAgain()` is called when the user wants another
   * game with the same players.
   * @param {{room: Room, me: () => string | null, onAgain: () => void}} parts
   */
  constructor({ room, me, onAgain }) {
    this.#room = room;
    this.#me = me;
    this.#onAgain = onAgain;
    this.#again = element("button", {
      type: "button",
      class: "button button-primary",
      text: ROOM.again,
      on: { click: () => this.#onAgain() },
    });
    this.#another = element("a", { class: "button", href: room.lobby, text: ROOM.another });
    const look = element("button", {
      type: "button",
      class: "button",
      text: SHARED.lookAtBoard,
      on: { click: () => this.#dialog.close() },
    });
    this.#dialog = element(
      "dialog",
      { class: "dialog", id: "ending", "aria-labelledby": "ending-title" },
      element(
        "div",
        { class: "dialog-body room-ending" },
        this.#winner,
        this.#title,
        this.#headline,
        this.#note,
        this.#words,
        this.#frame,
        this.#hint,
        this.#series,
        this.#daily,
        this.#mine,
        this.#offer,
        element("div", { class: "buttons buttons-wide" }, this.#again, this.#another),
        element("div", { class: "buttons buttons-wide" }, this.#replay, look),
        this.#file,
      ),
    );
    document.body.append(this.#dialog);
    if (room.mode !== "screen") return;
    this.#frame.append(this.#more);
    new ResizeObserver(() => this.#fit()).observe(this.#frame);
  }

  /** On a projector's screen, which nobody scrolls: show the rows that fit. */
  #fit() {
    if (this.#room.mode === "screen")
      fitRows(this.#frame, this.#table.querySelectorAll("tbody > tr"), this.#more, this.#others);
  }

  /**
   * Offer another page for the next game, instead of another game in a room.
   * @param {{words: string, href: string}} page
   */
  leadsTo({ words, href }) {
    setText(this.#another, words);
    this.#another.href = href;
    this.#another.classList.add("button-primary");
    this.#again.remove();
  }

  /** @param {string} words the way the game has ended */
  set note(words) {
    setText(this.#note, words);
    this.#note.hidden = words === "";
  }

  /** @param {number} milliseconds the duration by the game's own clock, which replaces the recording's duration */
  set lasted(milliseconds) {
    this.#lasted = milliseconds;
    this.#showSpan();
  }

  /** A line about the end of the game, or "" before the result is known. */
  get words() {
    return this.#title.textContent ?? "";
  }

  /** Load the result, and show the dialog once. With `again`, show the dialog again after the user has closed it. */
  async show({ again = false } = {}) {
    if (this.#isShown && !again) return;
    this.#isShown = true;
    const series = await this.#room.series();
    const record = this.#room.record;
    if (record?.result) {
      const kind = await loadKind(record.game);
      this.#draw(record, kind, { span: 0, figures: new Map() }, series);
      const told = await figuresTold();
      if (told !== null) this.#draw(record, kind, told, series);
      this.#showMine(record, kind, told?.figures ?? new Map());
      const daily = await dailyResult(this.#room, record, kind);
      this.#daily.replaceChildren(...(daily === null ? [] : [daily]));
    }
    if (this.#dialog.open) return;
    for (const other of document.querySelectorAll("dialog[open]"))
      if (other instanceof HTMLDialogElement && other.id !== "join") other.close();
    if (document.querySelector("dialog[open]") !== null) return;
    this.#dialog.showModal();
    this.#fit();
    if (!again) this.#celebrate();
  }

  /**
   * @param {RoomInfo} record
   * @param {KnownKind} kind
   * @param {Told} told
   * @param {{games: number, wins: Map<string, number>}} series
   */
  #draw(record, kind, { span, figures }, { games, wins }) {
    const { scores = {}, winners = [], figures: own = {} } = record.result ?? {};
    const me = this.#me();
    const all = new Set([...Object.keys(scores), ...this.#room.players, ...figures.keys()]);
    const names = [...all].slice(0, MOST_ROWS);
    this.#others = all.size - names.length;
    const of = (/** @type {string} */ player) => ({
      ...figures.get(player),
      ...own[player],
      score: scores[player] ?? 0,
    });
    const alone = Object.values(own).some(isAlone);
    setText(this.#title, alone && winners.length === 0 ? ROOM.over : titleOf(winners, names, me));
    this.#recorded = alone || record.daily ? 0 : span; // a daily challenge counts its time from the first move
    this.#showSpan();
    this.#dialog.dataset.outcome = outcomeOf({ scores, winners }, names, me);
    const headline = headlineOf({ scores, winners }, new Map(names.map((player) => [player, of(player)])), me);
    setText(this.#headline, this.#ownRecord || (headline === null ? "" : wordsOf(headline, kind)));
    this.#winner.replaceChildren(...winners.slice(0, 5).map((player) => portrait(player)));
    const columns = (kind.columns ?? POINTS).filter(([, figure]) => names.some((one) => figure(of(one)) !== null));
    const rows = names.map((player) => ({
      player,
      figures: columns.map(([, figure]) => figure(of(player)) ?? "–"),
      won: winners.includes(player),
    }));
    const titles = columns.map(([title]) => title);
    showFigures(this.#table, titles, rows, me);
    const standing = [...wins].sort((one, other) => other[1] - one[1]);
    const words = standing.map(([player, won]) => `${nameOf(player)} ${won}`).join(" · ");
    setText(this.#series, games > 1 && words !== "" ? ROOM.series(games, words) : "");
    this.#again.hidden = this.#room.mode !== "play" || me === null;
    if (record.successor) setText(this.#again, ROOM.nextGame);
    const { file, hint = "" } = kind;
    this.#file.hidden = file === undefined;
    this.#file.href = file?.href ?? "";
    setText(this.#file, file?.words ?? "");
    setText(this.#hint, hint);
    this.#hint.hidden = hint === "" || columns.length < 2;
  }

  /** The dialog has opened for the first time: the points count up. A winner's page and a projector show confetti. */
  #celebrate() {
    countUp(this.#table.querySelectorAll("td[data-title]"));
    const me = this.#me();
    const { winners = [] } = this.#room.record?.result ?? {};
    if (this.#room.mode === "screen" ? winners.length > 0 : me !== null && winners.includes(me)) confetti(this.#dialog);
    const offer = this.#room.mode === "play" ? soundOffer() : null;
    if (offer !== null) this.#offer.replaceChildren(offer);
  }

  /**
   * Store the result of this tab's player, and show my best values and statistics.
   * @param {RoomInfo} record
   * @param {KnownKind} kind
   * @param {Map<string, Figures>} recorded
   */
  #showMine(record, kind, recorded) {
    const me = this.#me();
    const { scores = {}, figures: own = {} } = record.result ?? {};
    if (me === null || !(Object.hasOwn(scores, me) || recorded.has(me))) return; // this user has not played
    const span = this.#lasted ?? this.#recorded;
    /** @type {Figures} */ const seconds = span > 0 ? { seconds: span / 1000 } : {};
    const figures = { ...seconds, ...recorded.get(me), ...own[me], score: scores[me] ?? 0 };
    const players = [...new Set([...Object.keys(scores), ...this.#room.players, ...recorded.keys()])];
    const { best, lines } = myRecord({ me, players, record, kind, figures });
    this.#ownRecord = best;
    if (best !== "") setText(this.#headline, best);
    this.#mine.replaceChildren(...lines);
  }

  #showSpan() {
    const span = this.#lasted ?? this.#recorded;
    setText(this.#words, span > 0 ? ROOM.played(span) : "");
  }
}

/**
 * @param {Headline} headline
 * @param {KnownKind} kind whose own words come first
 */
function wordsOf({ code, number }, { headlines = {} }) {
  const own = code === "byOne" || code === "flawless" ? headlines[code] : undefined;
  return own ?? ROOM.headlines[code](number);
}

/**
 * @param {string[]} winners
 * @param {string[]} players
 * @param {string | null} me
 */
function titleOf(winners, players, me) {
  if (players.length === 0 || (players.length === 1 && players[0] === me)) return ROOM.done;
  if (winners.length === 0) return ROOM.draw;
  if (me !== null && winners.includes(me)) return winners.length === 1 ? ROOM.youWon : ROOM.youWonWith;
  return ROOM.won(winners.map(nameOf));
}

/**
 * Load the recording's figures of each player. Return null if there is no recording, or if reading it takes too long.
 * @returns {Promise<Told | null>}
 */
export async function figuresTold() {
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    try {
      const { reading, span, summary } = await ask("replay/data");
      if (!reading) return { span, figures: byPlayer(summary) };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return null;
    }
    await new Promise((done) => setTimeout(done, READ_MS));
  }
  return null;
}

/**
 * @param {{columns: string[], rows: Record<string, (string | number | null)[]>}} summary
 * @returns {Map<string, Figures>}
 */
function byPlayer({ columns, rows }) {
  const figures = (/** @type {(string | number | null)[]} */ row) =>
    columns.map((name, place) => [name, row[place]]).filter(([, value]) => typeof value === "number");
  return new Map(Object.entries(rows).map(([player, row]) => [player, Object.fromEntries(figures(row))]));
}

/**
 * Ask the server for another game with the same players, and return its room. Throw Refused if the server refuses.
 * @returns {Promise<string>}
 */
export async function nextGame() {
  const { room } = await ask("again", { method: "POST" });
  return room;
}
