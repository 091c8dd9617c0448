/** The page of a replay: reads the recording, and shows it as it was after one move; any move, at once. */

import { createAnnouncer } from "../shared/announce.js";
import { byId, element, setText } from "../shared/dom.js";
import { keepFolded } from "../shared/fold.js";
import { chip } from "../shared/player.js";
import { setUpThemeSwitch } from "../shared/theme.js";
import { Chart } from "./chart.js";
import { CrosswordScene, offerMatches } from "./crossword.js";
import { actions } from "./keys.js";
import { MemoryScene } from "./memory.js";
import { MinesweeperScene } from "./minesweeper.js";
import { Palette } from "./palette.js";
import { Playback } from "./playback.js";
import { Reel } from "./reel.js";
import { Stage } from "./stage.js";

const SCENES = { memory: MemoryScene, minesweeper: MinesweeperScene, crossword: CrosswordScene };
const LOOK_MS = 2000; // how often a game that may still go on is asked for more
const READING_MS = 50; // ... while the server is still reading it
const LIST_MS = 80; // at most so often the list of moves is made anew
const BEFORE = 6; // moves listed before the one that is shown
const AFTER = 3;
const MOST_PLAYERS = 40; // listed; a chart of more says nothing
const LEAP = 20; // PageUp and PageDown go so much of the game

class Page {
  #reel = new Reel({ onPiece: () => this.#wish() });
  #palette = new Palette(() => this.#recolour());
  #stage = new Stage({
    place: byId("scene"),
    room: document.querySelector(".stage-room"),
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
  #announce = createAnnouncer(byId("live"));
  #scene = null;
  #seq = 0; // what is to be shown
  #shown = null; // what the scene is: {start of its piece, seq}
  #placed = false; // whether the scene is on the stage
  #heat = false;
  #following = true; // stay at the end while the game goes on
  #wanted = null; // the move that the address names, until it can be shown
  #wished = false;
  #pointed = null;
  #listed = "";
  #listing = null; // a timer, if the list of moves is to be shown
  #listedAt = 0;

  async start() {
    setUpThemeSwitch(byId("theme"));
    keepFolded(byId("summary-panel"), "scramble.replay.summary");
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
      leap: (sign) => this.#seek(this.#seq + sign * Math.max(1, Math.round(this.#reel.told / LEAP)), { pause: true, say: true }),
      end: () => this.#reel.told,
      heat: () => this.#toggleHeat(),
    });
    byId("play").addEventListener("click", () => this.#playback.toggle());
    byId("first").addEventListener("click", () => this.#seek(0, { pause: true }));
    byId("last").addEventListener("click", () => this.#seek(this.#reel.told, { pause: true }));
    byId("back").addEventListener("click", () => this.#seek(this.#seq - 1, { pause: true, say: true }));
    byId("forth").addEventListener("click", () => this.#seek(this.#seq + 1, { pause: true, say: true }));
    byId("heat").addEventListener("click", () => this.#toggleHeat());
    byId("speed").addEventListener("change", (event) => (this.#playback.speed = Number(event.target.value)));
    byId("scrub").addEventListener("input", (event) => this.#seek(Number(event.target.value), { pause: true }));
    byId("match").addEventListener("change", (event) => this.#chooseMatch(event.target.value));
    document.addEventListener("keydown", act);
    byId("moves").addEventListener("click", (event) => {
      const move = event.target.closest("[data-seq]");
      if (move !== null) this.#seek(Number(move.dataset.seq), { pause: true });
    });
  }

  // --- reading ---

  async #look() {
    let wait = LOOK_MS;
    if (!document.hidden || this.#scene === null) {
      try {
        const before = this.#reel.overview;
        const overview = await this.#reel.look();
        if (overview.reading) wait = READING_MS;
        this.#status(overview.reading ? "connecting" : "online", overview.reading ? "Reading…" : "Up to date");
        if (overview.told !== before?.told) this.#overviewCame(overview);
      } catch (error) {
        const words = error instanceof TypeError ? "The server does not answer." : error.message;
        this.#status("lost", "Lost");
        if (this.#scene === null) setText(byId("now").querySelector("p"), `There is nothing to replay: ${words}`);
      }
    }
    setTimeout(() => this.#look(), wait);
  }

  #status(state, word) {
    byId("link").dataset.state = state;
    setText(byId("link").querySelector(".word"), word);
  }

  #overviewCame(overview) {
    if (this.#scene === null) {
      this.#scene = new SCENES[overview.kind](overview.frame, this.#palette, this.#stage.canvas);
      document.title = `Replay: ${this.#scene.title}`;
      setText(byId("title"), `Replay: ${this.#scene.title}`);
      setText(byId("unit"), this.#scene.unit);
      byId("heat").title = `Heat map: ${this.#scene.heatOf} (H)`;
    }
    this.#scene.frame(overview.frame);
    byId("scrub").max = String(overview.told);
    this.#chart.show(overview, (seq) => clockWords(this.#reel.timeAt(seq)));
    this.#showSummary(overview.summary);
    if (this.#scene.matches !== undefined) {
      byId("matches-panel").hidden = this.#scene.matches.length < 2;
      offerMatches(byId("match"), this.#scene);
    }
    if (this.#following && !this.#playback.playing) this.#seq = overview.told;
    if (this.#wanted !== null) {
      this.#seq = Math.min(this.#wanted, overview.told);
      if (this.#seq === this.#wanted || !overview.reading) this.#wanted = null;
    }
    this.#reel.fetchAround(this.#seq);
    this.#wish();
  }

  // --- moving about ---

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

  /** Shows what is to be shown in the next frame, once, however often it was asked for. */
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
    const scrub = byId("scrub");
    if (Number(scrub.value) !== this.#seq) scrub.value = String(this.#seq);
    this.#chart.move(this.#seq);
    const step = this.#reel.step(this.#seq);
    const time = clockWords(step?.time ?? this.#reel.timeAt(this.#seq));
    setText(byId("clock"), time);
    setText(byId("count"), `/ ${clockWords(overview.span)} · move ${this.#seq} / ${overview.told}`);
    const piece = this.#reel.piece(this.#seq);
    document.documentElement.toggleAttribute("data-fetching", piece === null);
    if (piece === null) return; // drawn when it has come
    this.#bring(piece);
    const words = step === null ? "The beginning." : step.words;
    scrub.setAttribute("aria-valuetext", `move ${this.#seq} of ${overview.told}, ${time}: ${words}`);
    this.#showStep(step);
    this.#stage.draw(`The board after move ${this.#seq}: ${scene.caption ?? words}`);
    this.#showPlayers();
    this.#listMoves();
    this.#showReadout();
    this.#reel.fetchAround(this.#seq);
  }

  /** Brings the scene to the move that is to be shown: on from where it is, if it can, else from the piece's beginning. */
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
    byId("play").setAttribute("aria-label", playing ? "Pause" : "Play");
  }

  #showStep(step) {
    const now = byId("now").firstElementChild;
    const words = step === null ? "The beginning." : step.words;
    const key = `${this.#seq} ${words}`;
    if (now.dataset.key === key) return;
    now.dataset.key = key;
    now.replaceChildren(...(step?.rule ? [element("span", { class: "rule-tag", text: step.rule }), " "] : []), words,
      ...(step !== null && step.also.length > 0 ? [element("span", { class: "also", text: ` · ${step.also.join(" · ")}` })] : []));
    now.title = step === null ? "" : [step.words, ...step.also].join("\n");
  }

  #showPlayers() {
    const scores = [...this.#scene.scores].sort(([, a], [, b]) => b - a).slice(0, MOST_PLAYERS);
    const rows = scores.map(([player, score]) => [player, score, this.#scene.note(player)]);
    const listed = JSON.stringify(rows);
    if (listed === this.#listed) return;
    this.#listed = listed;
    byId("players").replaceChildren(...rows.map(([player, score, note]) =>
      element("li", { class: "player", "data-player": player }, this.#chip(player),
        element("span", { class: "player-note player-holding", text: note }),
        element("span", { class: "player-score", text: String(score) }))));
  }

  #chip(player) {
    const made = chip(player);
    const hue = this.#scene.hue?.(player) ?? null;
    if (hue !== null) made.querySelector(".badge").style.setProperty("--hue", String(hue));
    return made;
  }

  /** The list may lag behind while somebody drags: it is to be read, and costs more than all the rest. */
  #listMoves() {
    if (this.#listing !== null) return;
    const wait = Math.max(0, this.#listedAt + LIST_MS - performance.now());
    const list = () => {
      this.#listing = null;
      this.#listedAt = performance.now();
      this.#showMoves();
    };
    if (wait === 0) list();
    else this.#listing = setTimeout(list, wait);
  }

  #showMoves() {
    const first = Math.max(1, this.#seq - BEFORE);
    const last = Math.min(this.#reel.told, this.#seq + AFTER);
    const rows = [];
    for (let seq = first; seq <= last; seq += 1) {
      const step = this.#reel.step(seq);
      if (step === null) continue;
      rows.push(element("li", { value: seq },
        element("button", { type: "button", class: "move", "data-seq": seq, "aria-current": seq === this.#seq ? "true" : null,
          "data-later": seq > this.#seq },
        ...(step.rule ? [element("span", { class: "rule-tag", text: step.rule }), " "] : []), step.words,
        ...step.also.map((words) => element("span", { class: "also", text: words })))));
    }
    byId("moves").replaceChildren(...rows);
  }

  #showSummary({ columns, rows }) {
    const cells = (tag, values) => values.map((value) => element(tag, { text: value }));
    byId("summary").replaceChildren(element("table", {},
      element("thead", {}, element("tr", {}, ...cells("th", ["player", ...columns]))),
      element("tbody", {}, ...Object.entries(rows).map(([player, figures]) =>
        element("tr", {}, element("th", { scope: "row" }, this.#chip(player)), ...cells("td", figures))))));
  }

  #toggleHeat() {
    this.#heat = !this.#heat;
    this.#stage.heat = this.#heat;
    byId("heat").setAttribute("aria-pressed", String(this.#heat));
    this.#announce(this.#heat ? `Heat map: ${this.#scene?.heatOf ?? "moves"} up to this move.` : "The board.");
    this.#wish();
  }

  #point(index) {
    this.#pointed = index;
    this.#showReadout();
  }

  #showReadout() {
    const words = this.#pointed !== null && this.#scene !== null ? this.#scene.label(this.#pointed)
      : this.#heat ? `${[...this.#scene.heat.values()].reduce((a, b) => a + b, 0)} ${this.#scene.heatOf} up to this move`
      : (this.#scene?.caption ?? "");
    setText(byId("readout"), words);
  }

  #chooseMatch(value) {
    this.#scene.choose(value === "" ? null : Number(value));
    const match = this.#scene.matches.find(({ number }) => String(number) === value);
    if (match !== undefined && (this.#seq < match.since || (match.until ?? Infinity) < this.#seq)) this.#seek(match.until ?? match.since, { pause: true });
    this.#stage.show(this.#scene);
    this.#wish();
  }

  #recolour() {
    this.#scene?.recolour();
    this.#wish();
  }
}

/** A time since the beginning: 4:05, or 1:04:05. */
function clockWords(milliseconds) {
  const seconds = Math.floor(milliseconds / 1000);
  const pad = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(seconds % 60)}` : `${minutes}:${pad(seconds % 60)}`;
}

void new Page().start();
