/**
 * The text box of every state: the server's message, and a command line for players who prefer typing. In START it
 * takes the player's name.
 */

import { byId, element, setText } from "../shared/dom.js";

/** @import { Frame } from "./match.js" */

const ASKS = {
  START: { label: "Your name", button: "Play", example: "", commands: [] },
  CHOOSE: {
    label: "Command",
    button: "Enter",
    example: 'PLAY match  or  NEW match puzzle "come and play"',
    commands: ["PLAY match", 'NEW match puzzle "description"', "EXIT"],
  },
  WAIT: { label: "Command", button: "Enter", example: "EXIT", commands: ["EXIT"] },
  PLAY: {
    label: "Command",
    button: "Enter",
    example: "TRY id word",
    commands: ["TRY id word", "CHALLENGE id word", "EXIT"],
  },
  "SHOW SCORE": { label: "Command", button: "Enter", example: "NEW MATCH", commands: ["NEW MATCH", "EXIT"] },
};
const MOST_KEPT = 50;

export class Console {
  #form = byId("console-form", HTMLFormElement);
  #input = byId("command", HTMLInputElement);
  #error = byId("command-error");
  #message = byId("message");
  /** @type {string[]} */ #sent = []; // the lines sent, latest last
  #back = 0; // how far back in them the box shows one
  /** @type {string | null} */ #answering = null; // the line from the box that may still be refused
  /** @type {Frame["state"] | null} */ #state = null;

  /**
   * `onLine(line)` sends a line, and tells whether it could.
   * @param {{onLine: (line: string) => boolean}} callbacks
   */
  constructor({ onLine }) {
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
   * Show the message of a state and what to type in it.
   * @param {Frame} frame
   */
  show({ state, message }) {
    setText(this.#message, message);
    this.#message.title = message;
    if (state === this.#state) return;
    this.#state = state;
    this.#answering = null;
    this.#error.textContent = "";
    const { label, button, example, commands } = ASKS[state];
    setText(byId("command-label"), label);
    setText(byId("command-send"), button);
    this.#input.placeholder = example;
    this.#input.value = "";
    byId("commands").replaceChildren(...commands.map((command) => element("code", { text: command })));
  }

  /** Note that some part of the page has sent a line: a refusal is about that line, not an earlier one of the box. */
  sent() {
    this.#answering = null;
    this.#error.textContent = "";
  }

  /**
   * Show that the last line was refused: put it back for correction, and in START show why below the box.
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
   * Put a name into the box; Enter accepts it.
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

  focus() {
    this.#input.focus();
  }

  /**
   * Show an example that fits what is chosen.
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
