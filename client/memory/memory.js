/** The page of Memory Scramble: joins, connects, and passes frames and gestures to its parts. */

import { call } from "../shared/attention.js";
import { socketUrl } from "../shared/connection.js";
import { byId, element, setText, within } from "../shared/dom.js";
import { followNames, nameOf } from "../shared/names.js";
import { Seat, Shell } from "../shared/page.js";
import { browserId, numbered } from "../shared/player.js";
import { Presence } from "../shared/presence.js";
import { refusalWords } from "../shared/refusals.js";
import { play } from "../shared/sound.js";
import { putWords } from "../shared/wording.js";
import { SHARED } from "../shared/words.js";
import { Board } from "./board.js";
import { askNamesake, EndDialog, setUpMenu, setUpReplace, setUpRestart } from "./dialogs.js";
import { Game } from "./game.js";
import { MemoryMap } from "./map.js";
import {
  changeWords,
  failureWords,
  leftWords,
  letGo,
  nextWords,
  outcomeWords,
  replacedWords,
  restartWords,
  returnWords,
  switchedOffWords,
  tookWords,
} from "./sentences.js";
import { Sidebar } from "./sidebar.js";
import { WORDS } from "./words.js";

/** @import { BoardFrame, ChangeFrame, FlipFrame, OutcomeFrame, PlayersFrame } from "./game.js" */
/** @import { Status } from "../shared/connection.js" */

const ACTIONS = { withdraw: WORDS.stopWaiting, take: WORDS.takeIt, letgo: WORDS.letGo, restart: SHARED.newGame };
const LONG_TEXT = 44; // characters of the line with the next step: a longer text needs three lines on a phone
const TICK_MS = 500; // the update interval of texts with whole seconds

/** @typedef {{index?: number, own?: boolean, before?: string, after?: string, taking?: boolean}} Asked */

class Page {
  #game = new Game();
  #shell = new Shell({ rules: "scramble.memory.rules" });
  #seat = new Seat({
    shell: this.#shell,
    address: (name) => addressOf(name),
    frames: {
      board: (frame) => this.#boardCame(frame),
      change: (frame) => this.#changeCame(frame),
      players: (frame) => this.#playersCame(frame),
      clock: (frame) => {
        this.#game.clockCame(frame);
        this.#refresh();
      },
      score: (frame) => this.#scoreCame(frame),
      flip: (frame) => this.#flipCame(frame),
      replace: (frame) => this.#replaceCame(frame),
      new: (frame) => this.#newCame(frame),
      restarted: ({ player }) => {
        this.#restartedBy = player;
      },
      namesake: () => {
        if (this.#nameIsNew) this.#hasNamesake = true; // the dialog opens after the next `players` frame
      },
      error: (frame) => this.#toasts.say(refusalWords(frame, WORDS.refusals), { kind: "fail" }),
    },
    onState: (status) => this.#connectionChanged(status),
    onPlay: (isNew) => {
      this.#nameIsNew = isNew;
      this.#hasNamesake = false;
    },
    onLeave: () => this.#forgetAsked(),
  });
  #presence = new Presence({
    onCame: (player) => this.#shell.tell(WORDS.isHere(nameOf(player))),
    onLeft: (player) => this.#shell.tell(this.#farewell(player)),
  });
  #toasts = this.#shell.toasts;
  #board = new Board({
    frame: byId("frame"),
    room: within(document, ".stage-room"),
    game: this.#game,
    onFlip: (row, column) => this.#flip(row, column),
    onView: (view, cell) => this.#map.show(view, cell),
  });
  #map = new MemoryMap({
    game: this.#game,
    me: () => this.#me,
    onGo: (x, y) => this.#board.reveal(x, y),
    onStep: (direction) => this.#board.zoomStep(direction),
    onWhole: () => this.#board.zoomWhole(),
  });
  #sidebar = new Sidebar({ list: byId("players"), pairs: byId("pairs"), progress: byId("progress") });
  #end = new EndDialog({ onRestart: () => this.#restart() });
  /** @type {Map<number, Asked>} */
  #asked = new Map(); // requests without an outcome: id -> {index} of a flip, or {before, after} of a replacement
  /** @type {number | null} */ #waitingId = null; // the id of this tab's waiting flip
  /** @type {string | null} */ #last = null; // the rule that decided this tab's last flip
  /** @type {{awayMs: number | null, more: string[]} | null} */
  #returned = null; // data for the message after a reconnection, until the board arrives
  /** @type {string | null} */ #restartedBy = null; // the player who began a new game, until its board arrives
  #nameIsNew = false; // the user has just chosen the name, and the board has not arrived
  #hasNamesake = false; // another browser uses the same name
  /** @type {number | undefined} */ #ticking = undefined; // the timer for the seconds until a card comes free

  start() {
    putWords(WORDS);
    document.title = WORDS.title;
    followNames((players) => {
      this.#board.update(this.#game.cellsNaming(players));
      this.#refresh();
    });
    const isUnderway = () => this.#game.isUnderway;
    setUpMenu();
    setUpReplace({
      cards: () => this.#game.cardsSeen(),
      isUnderway,
      onReplace: (before, after) => this.#replace(before, after),
    });
    const askRestart = setUpRestart({ isUnderway, onRestart: () => this.#restart() });
    byId("next-action").addEventListener("click", () => this.#act(byId("next-action").dataset.action, askRestart));
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && document.querySelector("dialog[open]") === null) this.#withdraw();
    });
    this.#seat.join();
  }

  get #me() {
    return this.#seat.name ?? "";
  }

  // --- the player's moves ---

  /**
   * @param {number} row
   * @param {number} column
   * @returns {number | null}
   */
  #flip(row, column) {
    const index = this.#game.index(row, column);
    if (this.#waitingId !== null && this.#game.waiting.get(this.#me) === index) {
      this.#withdraw();
      return null;
    }
    const id = this.#seat.send({ type: "flip", row, column }, WORDS.noFlip);
    if (id === null) return null;
    this.#asked.set(id, { index, own: this.#game.heldBy(this.#me).includes(index) });
    this.#board.setPending(index, true);
    return id;
  }

  #withdraw() {
    if (this.#waitingId !== null) this.#seat.sendPlain({ type: "withdraw" });
  }

  /**
   * @param {string} before
   * @param {string} after
   */
  #replace(before, after) {
    const id = this.#seat.send({ type: "replace", old: before, new: after }, WORDS.noReplacement);
    if (id !== null) this.#asked.set(id, { before, after });
    return id !== null;
  }

  /**
   * Take the player's last pair off the board, or relinquish the first card, by flipping a card that the player holds.
   * Any flip takes a pair off the board. A first card is relinquished because a flip of the same card fails (rule 2-B).
   */
  #flipOwn() {
    const [index] = this.#game.heldBy(this.#me);
    if (index === undefined) return;
    const id = this.#flip(...this.#game.place(index));
    const asked = id === null ? undefined : this.#asked.get(id);
    if (asked !== undefined) asked.taking = true;
  }

  /**
   * @param {string | undefined} action
   * @param {() => void} askRestart
   */
  #act(action, askRestart) {
    if (action === "withdraw") this.#withdraw();
    else if (action === "take" || action === "letgo") this.#flipOwn();
    else if (this.#game.isOver) this.#restart();
    else askRestart();
  }

  #restart() {
    const id = this.#seat.send({ type: "new" }, WORDS.noNewGame);
    if (id !== null) this.#asked.set(id, {});
  }

  // --- frames of the server ---

  /** @param {BoardFrame} frame */
  #boardCame(frame) {
    const before = { rows: this.#game.rows, columns: this.#game.columns, cells: this.#game.cells };
    const wasFresh = before.rows === 0;
    const taken = this.#game.pairsInAll - this.#game.pairsLeft;
    this.#game.replaceAll(frame);
    this.#keepWaiting();
    this.#board.show(this.#me);
    this.#map.drawAll();
    this.#showSwitches(this.#game.off);
    if (this.#returned !== null && !wasFresh) {
      const { awayMs, more } = this.#returned;
      const words = [returnWords(before, this.#game, this.#me, awayMs), ...more].join(" ").trim();
      if (words !== "") this.#toasts.say(words, { kind: "good" });
    } else if (
      !wasFresh &&
      (this.#restartedBy !== null || (taken > 0 && this.#game.pairsInAll === this.#game.pairsLeft))
    ) {
      this.#toasts.say(restartWords(this.#restartedBy, this.#me), { kind: "good" });
      this.#last = null;
    }
    this.#returned = null;
    this.#restartedBy = null;
    this.#nameIsNew = false; // a `namesake` frame comes before the board; a reconnection must not ask again
    if (wasFresh && !this.#seat.isWatching && document.activeElement === document.body) this.#board.focus();
    this.#refresh();
  }

  /** Note the cell that this player waits for: a frame lists only some of very many waiting players. */
  #keepWaiting() {
    const index = this.#asked.get(this.#waitingId ?? 0)?.index;
    if (index !== undefined) this.#game.waiting.set(this.#me, index);
  }

  /** @param {Set<string>} off */
  #showSwitches(off) {
    byId("replace-open").hidden = off.has("replace");
    byId("menu").hidden = off.has("replace") && off.has("new");
    for (const id of ["restart-open", "end-again"]) byId(id).hidden = off.has("new");
    const words = switchedOffWords(off);
    setText(byId("switched-off"), words);
    byId("switched-off").hidden = words === "";
  }

  /** @param {ChangeFrame} frame */
  #changeCame(frame) {
    const { cells, touched } = this.#game.change(frame);
    this.#board.update(touched);
    this.#map.draw(touched);
    const freed = letGo(this.#me, cells);
    if (freed !== null && this.#game.isAway(freed.player)) this.#toasts.note(freed.words); // freed by a timer
    const replaced = replacedWords(frame.replaced_by ?? [], this.#me, cells);
    if (replaced !== null) this.#toasts.say(replaced);
    for (const words of changeWords(this.#game, this.#me, cells, frame.waiting)) this.#shell.announce(words);
    for (const { index, before, after } of cells) {
      if (
        after.is !== "none" ||
        before.is !== "up" ||
        cells.find((other) => other.after.is === "none")?.index !== index
      )
        continue;
      this.#toasts.note(tookWords(after.by, this.#me, before.card), { kind: "good" });
    }
    this.#refresh();
  }

  /** @param {PlayersFrame} frame */
  #playersCame(frame) {
    this.#board.update(this.#game.playersCame(frame));
    if (this.#hasNamesake) this.#namesakeCame();
    this.#shell.parts?.playersHere([...frame.players, ...Object.keys(frame.left ?? {})]);
    this.#presence.note(frame.players, this.#seat.name, frame.others === undefined);
    this.#refresh();
  }

  /**
   * The report that a player has left, perhaps with cards.
   * @param {string} player
   */
  #farewell(player) {
    return this.#game.heldBy(player).length > 0 ? leftWords(this.#game, player) : WORDS.hasLeft(nameOf(player));
  }

  /**
   * Note the player's own score. With very many players, the board frame may not have it.
   * @param {{pairs: number}} frame
   */
  #scoreCame(frame) {
    this.#game.scores.set(this.#me, frame.pairs);
    this.#refresh();
  }

  /** Ask the user to keep or change the new name, because another browser uses the same name. */
  async #namesakeCame() {
    this.#hasNamesake = false;
    const other = await askNamesake(this.#me, numbered(this.#me, this.#game.players));
    if (other === null) return;
    this.#seat.take(other);
  }

  /** @param {OutcomeFrame} frame */
  #newCame(frame) {
    this.#asked.delete(frame.id);
    if (frame.outcome !== "ok") this.#toasts.say(refusalWords(frame, WORDS.refusals), { kind: "fail" });
  }

  /** @param {FlipFrame} frame */
  #flipCame(frame) {
    const asked = this.#asked.get(frame.id);
    const index = this.#game.index(frame.row, frame.column);
    this.#board.setPending(index, false);
    if (frame.outcome === "waiting") {
      this.#waitingId = frame.id;
      this.#shell.announce(WORDS.nowWaiting);
    } else {
      this.#asked.delete(frame.id);
      const waited = this.#waitingId !== null && this.#waitingId === frame.id;
      if (waited) this.#waitingId = null;
      if (frame.rule !== null) this.#last = frame.rule;
      this.#outcome(frame, { waited, taking: asked?.taking ?? false, own: asked?.own ?? false });
    }
    this.#refresh();
  }

  /**
   * @param {FlipFrame} frame
   * @param {{waited: boolean, taking: boolean, own: boolean}} how
   */
  #outcome(frame, { waited, taking, own }) {
    if (frame.outcome === "failed" || frame.outcome === "refused") {
      if (waited) call(SHARED.calls.cardGone);
      const failed = frame.outcome === "failed";
      const words = failed ? failureWords(frame.rule, { waited, own }) : refusalWords(frame, WORDS.refusals);
      if (taking || this.#game.isOver) this.#toasts.note(words, { rule: frame.rule });
      else this.#toasts.say(words, { kind: "fail", rule: frame.rule });
    } else if (frame.outcome === "withdrawn") this.#toasts.say(WORDS.noLongerWait);
    else {
      const words = outcomeWords(this.#game, frame);
      if (waited) call(SHARED.calls.yourCard);
      if (this.#shell.room !== null) this.#sound(frame, waited);
      if (waited) this.#toasts.say(WORDS.waitedFor, { kind: "good", rule: frame.rule });
      else if (words !== null) this.#shell.announce(words);
    }
  }

  /**
   * @param {FlipFrame} frame
   * @param {boolean} waited
   */
  #sound({ rule }, waited) {
    play(waited ? "come" : rule === "2-D" ? "match" : "turn");
  }

  /** @param {OutcomeFrame} frame */
  #replaceCame(frame) {
    const asked = this.#asked.get(frame.id);
    this.#asked.delete(frame.id);
    if (frame.outcome !== "ok") this.#toasts.say(refusalWords(frame, WORDS.refusals), { kind: "fail" });
    else if (asked) this.#toasts.say(WORDS.everyIsNow(asked.before ?? "", asked.after ?? ""), { kind: "good" });
  }

  // --- the connection ---

  /** @param {Status} status */
  #connectionChanged({ state, again, awayMs }) {
    if (state === "online" && again) this.#returned = { awayMs, more: this.#forgetAsked() };
    if (!this.#seat.isConnected) this.#presence.pause();
    this.#refresh();
  }

  /** Forget the requests of a lost connection, because they get no answer. Return sentences about them. */
  #forgetAsked() {
    const sentences = [];
    if (this.#waitingId !== null) sentences.push(WORDS.noLongerWaitAny);
    else if (this.#asked.size > 0) sentences.push(WORDS.lastMove);
    for (const { index } of this.#asked.values()) if (index !== undefined) this.#board.setPending(index, false);
    this.#asked.clear();
    this.#waitingId = null;
    this.#last = null;
    return sentences;
  }

  // --- everything around the board ---

  #refresh() {
    if (this.#me === "" && !this.#seat.isWatching) return;
    const waitingHere = this.#waitingId !== null;
    const next = nextWords(this.#game, this.#me, { state: this.#seat.state, waitingHere, last: this.#last });
    this.#shell.showNext(next);
    byId("next").toggleAttribute("data-long", next.text.length > LONG_TEXT);
    const { action } = next;
    const button = byId("next-action");
    button.hidden = action === null;
    if (action !== null && button.dataset.action !== action) {
      button.dataset.action = action;
      button.textContent = ACTIONS[action];
      if (action === "withdraw") button.append(element("kbd", { text: WORDS.escape }));
    }
    this.#sidebar.show(this.#game, this.#me);
    this.#shell.parts?.standings(() => this.#game.ranking);
    this.#map.showPlayers();
    if (this.#shell.room === null) this.#end.show(this.#game, this.#me); // a room has its own end dialog
    clearTimeout(this.#ticking);
    if (this.#game.countsDown) this.#ticking = setTimeout(() => this.#refresh(), TICK_MS);
  }
}

/**
 * The address of the game's socket for a player, with the value that identifies this browser.
 * @param {string} name
 */
function addressOf(name) {
  const browser = browserId();
  return socketUrl(`play/${name}`, browser === null ? "" : `browser=${browser}`);
}

new Page().start();
