/** The page of a replay: reads the recording, and shows the game after any of its moves. */

import { createAnnouncer } from "../shared/announce.js";
import { byId, element, setText, within } from "../shared/dom.js";
import { keepFolded } from "../shared/fold.js";
import { clockWords } from "../shared/grammar.js";
import { noteHues, spread } from "../shared/hues.js";
import { noteNames } from "../shared/names.js";
import { showInitials } from "../shared/player.js";
import { setUpThemeSwitch } from "../shared/theme.js";
/** @import { Game } from "./game.js" */
/** @import { Overview, Piece, Step } from "./reel.js" */
/** @import { Scene } from "./scene.js" */
import { languageSwitch, putWords } from "../shared/wording.js";
import { SHARED } from "../shared/words.js";
import { setUpWorker } from "../shared/worker.js";
import { Chart } from "./chart.js";
import { loadGame } from "./game.js";
import { actions } from "./keys.js";
import { MoveList, PlayerList, showSummary } from "./lists.js";
import { Palette } from "./palette.js";
import { Playback } from "./playback.js";
import { Reel } from "./reel.js";
import { Stage } from "./stage.js";
import { WORDS } from "./words.js";

const LOOK_MS = 2000; // interval of the requests for new moves of a game that may continue
const READING_MS = 50; // interval while the server is still reading the recording
const LEAP = 20; // PageUp and PageDown move by this fraction of the game (1/20)

class Page {
  #reel = new Reel({ onPiece: () => this.#wish() });
  #palette = new Palette(() => this.#recolour());
  #stage = new Stage({
    place: byId("scene"),
    room: within(document, ".stage-room"),
    palette: this.#palette,
    onPoint: (index) => this.#point(index),
    onFit: () => this.#wish(),
  });
  #chart = new Chart({ place: byId("chart"), ticks: byId("ticks"), onSeek: (seq) => this.#seek(seq, { pause: true }) });
  #playback = new Playback({
    timeOf: (seq) => this.#reel.step(seq)?.time ?? null,
    position: () => this.#seq,
    last: () => this.#reel.told,
    onMove: (seq) => this.#seek(seq),
    onState: () => this.#showState(),
  });
  #players = new PlayerList();
  #moves = new MoveList({ reel: this.#reel, onSeek: (seq) => this.#seek(seq, { pause: true }) });
  #announce = createAnnouncer(byId("live"));
  /** @type {Game} */ #game = /** @type {any} */ (null); // set by the first overview
  /** @type {Scene} */ #scene = /** @type {any} */ (null); // likewise
  #seq = 0; // the move to show
  /** @type {{start: number, seq: number} | null} */ #shown = null; // the state of the scene: {start of its piece, seq}
  #placed = false; // true when the scene is on the stage
  #heat = false;
  #following = true; // stay at the end while the game continues
  /** @type {number | null} */ #wanted = null; // the move in the address, until the page can show it
  #wished = false;
  /** @type {number | null} */ #pointed = null;

  async start() {
    putWords(WORDS);
    document.title = WORDS.replay;
    setUpThemeSwitch(byId("theme"), SHARED.theme);
    byId("theme").before(languageSwitch());
    setUpWorker();
    keepFolded(byId("summary-panel", HTMLDetailsElement), "scramble.replay.summary");
    this.#setUpControls();
    const wanted = Number(new URLSearchParams(location.search).get("at"));
    if (Number.isInteger(wanted) && wanted > 0) {
      this.#wanted = wanted;
      this.#following = false;
    }
    void this.#look();
  }

  #setUpControls() {
    const act = actions({
      toggle: () => this.#playback.toggle(),
      go: (seq) => this.#seek(seq, { pause: true }),
      by: (moves) => this.#seek(this.#seq + moves, { pause: true, say: true }),
      leap: (sign) =>
        this.#seek(this.#seq + sign * Math.max(1, Math.round(this.#reel.told / LEAP)), { pause: true, say: true }),
      end: () => this.#reel.told,
      heat: () => this.#toggleHeat(),
    });
    byId("play").addEventListener("click", () => this.#playback.toggle());
    byId("first").addEventListener("click", () => this.#seek(0, { pause: true }));
    byId("last").addEventListener("click", () => this.#seek(this.#reel.told, { pause: true }));
    byId("back").addEventListener("click", () => this.#seek(this.#seq - 1, { pause: true, say: true }));
    byId("forth").addEventListener("click", () => this.#seek(this.#seq + 1, { pause: true, say: true }));
    byId("heat").addEventListener("click", () => this.#toggleHeat());
    const speed = byId("speed", HTMLSelectElement);
    speed.addEventListener("change", () => {
      this.#playback.speed = Number(speed.value);
    });
    const scrub = byId("scrub", HTMLInputElement);
    scrub.addEventListener("input", () => this.#seek(Number(scrub.value), { pause: true }));
    const choice = byId("choice", HTMLSelectElement);
    choice.addEventListener("change", () => this.#choose(choice.value));
    document.addEventListener("keydown", act);
  }

  // --- reading ---

  async #look() {
    let wait = LOOK_MS;
    if (!document.hidden || this.#scene === null) {
      try {
        const before = this.#reel.overview;
        const overview = await this.#reel.look();
        if (overview.reading) wait = READING_MS;
        this.#status(overview.reading ? "connecting" : "online", overview.reading ? WORDS.reading : WORDS.upToDate);
        const isFirst = this.#scene === null;
        if (isFirst) await this.#begin(overview);
        if (isFirst || overview.told !== before?.told) this.#overviewCame(overview);
      } catch (error) {
        const words = error instanceof TypeError ? SHARED.noAnswer : /** @type {Error} */ (error).message;
        this.#status("lost", WORDS.lost);
        if (this.#scene === null) setText(within(byId("now"), "p"), WORDS.nothing(words));
      }
    }
    setTimeout(() => this.#look(), wait);
  }

  /**
   * @param {string} state
   * @param {string} word
   */
  #status(state, word) {
    byId("link").dataset.state = state;
    setText(within(byId("link"), ".word"), word);
  }

  /**
   * Load the modules of this kind of game.
   * @param {Overview} overview
   */
  async #begin({ kind, frame }) {
    const root = document.documentElement;
    this.#game = await loadGame(kind).catch((error) => {
      root.setAttribute("data-incomplete", ""); // #look tries again
      throw error;
    });
    root.removeAttribute("data-incomplete");
    this.#reel.tell = this.#game.tell;
    this.#scene = new this.#game.Scene(frame, this.#palette, this.#stage.canvas);
    const { unit, heatOf, choice } = this.#game.words;
    document.title = WORDS.titleOf(this.#game.title);
    setText(byId("title"), document.title);
    setText(byId("unit"), unit);
    setText(byId("choice-label"), choice);
    byId("heat").title = WORDS.heatTitle(heatOf);
  }

  /** @param {Overview} overview */
  #overviewCame(overview) {
    noteNames(overview.names);
    this.#scene.frame(overview.frame);
    byId("scrub", HTMLInputElement).max = String(overview.told);
    noteHues(spread(overview.lines.map(({ player }) => player).sort()));
    this.#chart.show(overview, (seq) => clockWords(this.#reel.timeAt(seq)));
    showSummary(this.#scene, overview.summary, this.#game.words);
    this.#offer(this.#scene.choices ?? []);
    if (this.#following && !this.#playback.playing) this.#seq = overview.told;
    if (this.#wanted !== null) {
      this.#seq = Math.min(this.#wanted, overview.told);
      if (this.#seq === this.#wanted || !overview.reading) this.#wanted = null;
    }
    this.#reel.fetchAround(this.#seq);
    this.#wish();
  }

  // --- moving to another move ---

  /**
   * @param {number} seq
   * @param {{pause?: boolean, say?: boolean}} options
   */
  #seek(seq, { pause = false, say = false } = {}) {
    const told = this.#reel.told;
    this.#seq = Math.max(0, Math.min(told, seq));
    this.#following = this.#seq === told;
    this.#wanted = null;
    if (pause) this.#playback.pause();
    this.#wish();
    if (!say) return;
    const step = this.#reel.step(this.#seq);
    if (step !== null) this.#announce([step.words, ...step.also].join(". "));
  }

  /** Draw in the next frame. Several calls before that frame cause one drawing. */
  #wish() {
    if (this.#wished) return;
    this.#wished = true;
    requestAnimationFrame(() => {
      this.#wished = false;
      this.#draw();
    });
  }

  #draw() {
    const { overview } = this.#reel;
    const scene = this.#scene;
    if (scene === null || overview === null) return;
    const scrub = byId("scrub", HTMLInputElement);
    if (Number(scrub.value) !== this.#seq) scrub.value = String(this.#seq);
    this.#chart.move(this.#seq);
    const step = this.#reel.step(this.#seq);
    const time = clockWords(step?.time ?? this.#reel.timeAt(this.#seq));
    setText(byId("clock"), time);
    setText(byId("count"), WORDS.at(clockWords(overview.span), this.#seq, overview.told));
    const piece = this.#reel.piece(this.#seq);
    document.documentElement.toggleAttribute("data-fetching", piece === null);
    if (piece === null) return; // the page draws again after the piece has loaded
    this.#bring(piece);
    const words = step === null ? WORDS.beginning : step.words;
    scrub.setAttribute("aria-valuetext", WORDS.atMove(this.#seq, overview.told, time, words));
    this.#showStep(step);
    this.#stage.draw(WORDS.boardAfter(this.#seq, scene.caption ?? words));
    this.#players.show(scene);
    this.#moves.show(this.#seq);
    this.#showReadout();
    this.#reel.fetchAround(this.#seq);
  }

  /**
   * Bring the scene to the current move: forward from its present move if possible, else from the piece's beginning.
   * @param {Piece} piece
   */
  #bring(piece) {
    let from = this.#shown?.seq ?? 0;
    const { rows, columns } = this.#scene;
    if (this.#shown?.start !== piece.start || from > this.#seq) {
      this.#scene.reset(piece.whole);
      from = piece.start;
    }
    for (let seq = from + 1; seq <= this.#seq; seq += 1) {
      const [, player, , , , change] = piece.steps[seq - 1 - piece.start];
      this.#scene.apply({ player, change });
    }
    this.#shown = { start: piece.start, seq: this.#seq };
    if (rows !== this.#scene.rows || columns !== this.#scene.columns || !this.#placed) {
      this.#placed = true;
      this.#stage.show(this.#scene);
    }
  }

  // --- showing ---

  #showState() {
    const { playing } = this.#playback;
    byId("play").dataset.playing = String(playing);
    byId("play").setAttribute("aria-label", playing ? WORDS.pause : WORDS.play);
  }

  /** @param {Step | null} step */
  #showStep(step) {
    const now = within(byId("now"), "p");
    const words = step === null ? WORDS.beginning : step.words;
    const key = `${this.#seq} ${words}`;
    if (now.dataset.key === key) return;
    now.dataset.key = key;
    now.replaceChildren(
      words,
      ...(step !== null && step.also.length > 0
        ? [element("span", { class: "also", text: ` · ${step.also.join(" · ")}` })]
        : []),
    );
    now.title = step === null ? "" : [step.words, ...step.also].join("\n");
  }

  #toggleHeat() {
    this.#heat = !this.#heat;
    this.#stage.heat = this.#heat;
    byId("heat").setAttribute("aria-pressed", String(this.#heat));
    this.#announce(this.#heat && this.#game !== null ? WORDS.heatSaid(this.#game.words.heatOf) : WORDS.board);
    this.#wish();
  }

  /** @param {number | null} index */
  #point(index) {
    this.#pointed = index;
    this.#showReadout();
  }

  #showReadout() {
    const words =
      this.#pointed !== null && this.#scene !== null
        ? this.#scene.label(this.#pointed)
        : this.#heat
          ? this.#heatWords()
          : (this.#scene?.caption ?? "");
    setText(byId("readout"), words);
  }

  #heatWords() {
    if (this.#scene === null) return "";
    const heat = [...this.#scene.heat.values()].reduce((a, b) => a + b, 0);
    return WORDS.upToHere(this.#game.words.heat(heat));
  }

  /**
   * Show the choice between several boards.
   * @param {{value: string, text: string}[]} choices
   */
  #offer(choices) {
    const select = byId("choice", HTMLSelectElement);
    const kept = select.value;
    select.replaceChildren(...choices.map(({ value, text }) => element("option", { value, text })));
    select.value = kept;
    byId("choice-panel").hidden = choices.length < 2;
  }

  /** @param {string} value */
  #choose(value) {
    const seq = this.#scene.choose?.(value, this.#seq) ?? null;
    if (seq !== null) this.#seek(seq, { pause: true });
    this.#stage.show(this.#scene);
    this.#wish();
  }

  #recolour() {
    this.#scene?.recolour();
    this.#wish();
  }
}

showInitials();
void new Page().start();
