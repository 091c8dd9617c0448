/**
 * The text box: the server's message, and a command line for players who prefer typing. In START the user enters the
 * player's name in it. In the other states the box is hidden until the user switches it on.
 */

import { byId, element, setText } from "../shared/dom.js";
import { SHARED } from "../shared/words.js";
import { WORDS } from "./words.js";

/** @import { Frame } from "./match.js" */

const MOST_KEPT = 50;
const KEY = "scramble.crossword.console";

export class Console {
  #form = byId("console-form", HTMLFormElement);
  #input = byId("command", HTMLInputElement);
  #error = byId("command-error");
  #message = byId("message");
  /** @type {string[]} */ #sent = []; // the sent lines, latest last
  #back = 0; // number of the recalled line, counted back from the latest sent line; 0 for a new line
  /** @type {string | null} */ #answering = null; // the last line from the box, until the server answers
  /** @type {Frame["state"] | null} */ #state = null;
  #switch = byId("console-switch", HTMLInputElement);

  /**
   * `onLine(line)` sends a line, and returns true if the line was sent. `onSwitch(on)` is called with the stored choice
   * at once, and with each later choice.
   * @param {{onLine: (line: string) => boolean, onSwitch: (on: boolean) => void}} callbacks
   */
  constructor({ onLine, onSwitch }) {
    this.#switch.checked = keptOn();
    this.#switch.addEventListener("change", () => {
      keep(this.#switch.checked);
      onSwitch(this.#switch.checked);
    });
    onSwitch(this.#switch.checked);
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      const line = this.#state === "START" ? this.#input.value.trim() : this.#input.value;
      if (!onLine(line)) return;
      this.#answering = line;
      if (this.#state === "START") return;
      this.#sent = [...this.#sent.filter((old) => old !== line), line].slice(-MOST_KEPT);
      this.#back = 0;
      this.#input.value = "";
    });
    this.#input.addEventListener("input", () => {
      this.#error.textContent = "";
    });
    this.#input.addEventListener("keydown", (event) => {
      if (event.key === "ArrowUp" || event.key === "ArrowDown") this.#recall(event, event.key === "ArrowUp" ? 1 : -1);
    });
  }

  /**
   * Show the message of a state, and the possible input.
   * @param {Frame} frame
   */
  show({ state, message }) {
    setText(this.#message, message);
    this.#message.title = message;
    if (state === this.#state) return;
    this.#state = state;
    this.#answering = null;
    this.#error.textContent = "";
    const asksName = state === "START";
    setText(byId("command-label"), asksName ? SHARED.yourName : WORDS.command);
    setText(byId("command-send"), asksName ? SHARED.play : WORDS.enter);
    this.#input.placeholder = WORDS.exampleOf[state] ?? "";
    const commands = WORDS.commandsOf[state] ?? [];
    this.#input.value = "";
    byId("commands").replaceChildren(...commands.map((command) => element("code", { text: command })));
  }

  /** Note that another part of the page has sent a line. The next refusal is not about the last line of the box. */
  sent() {
    this.#answering = null;
    this.#error.textContent = "";
  }

  /**
   * Handle a refusal of the last line: put the line into the box again, and in START show the reason below the box.
   * @param {string} error
   */
  refuse(error) {
    if (this.#state === "START") this.#error.textContent = error;
    if (this.#answering === null) return;
    if (this.#input.value === "" || this.#state === "START") {
      this.#input.value = this.#answering;
      this.#input.select();
    }
    this.#answering = null;
  }

  /**
   * Put a name into the box. Enter accepts it.
   * @param {string} name
   */
  suggest(name) {
    this.#input.value = name;
    this.#input.focus({ preventScroll: true });
    this.#input.select();
  }

  get value() {
    return this.#input.value;
  }

  /** Put the focus on the box. Return false if the box is hidden. */
  focus() {
    this.#input.focus();
    return document.activeElement === this.#input;
  }

  /**
   * Show an example of a command for the chosen word.
   * @param {string} text
   */
  set example(text) {
    if (this.#state === "PLAY") this.#input.placeholder = text;
  }

  /**
   * @param {KeyboardEvent} event
   * @param {number} by
   */
  #recall(event, by) {
    const back = this.#back + by;
    if (this.#state === "START" || back < 0 || back > this.#sent.length) return;
    event.preventDefault();
    this.#back = back;
    this.#input.value = back === 0 ? "" : (this.#sent.at(-back) ?? "");
  }
}

/** True if the user has switched the text box on. */
function keptOn() {
  try {
    return localStorage.getItem(KEY) === "on";
  } catch {
    return false; // storage is disabled
  }
}

/** @param {boolean} on */
function keep(on) {
  try {
    localStorage.setItem(KEY, on ? "on" : "off");
  } catch {
    /* storage is disabled: the choice is not stored */
  }
}
