/**
 * The text box of every state: what the server has to say, and one command line for whoever prefers typing. In START it
 * is where one enters a name.
 */

import { byId, element, setText } from "../shared/dom.js";

const ASKS = {
  START: { label: "Your name", button: "Play", example: "", commands: [] },
  CHOOSE: { label: "Command", button: "Enter", example: 'PLAY match  or  NEW match puzzle "come and play"', commands: ["PLAY match", 'NEW match puzzle "description"', "EXIT"] },
  WAIT: { label: "Command", button: "Enter", example: "EXIT", commands: ["EXIT"] },
  PLAY: { label: "Command", button: "Enter", example: "TRY id word", commands: ["TRY id word", "CHALLENGE id word", "EXIT"] },
  "SHOW SCORE": { label: "Command", button: "Enter", example: "NEW MATCH", commands: ["NEW MATCH", "EXIT"] },
};
const MOST_KEPT = 50;

export class Console {
  #form = byId("console-form");
  #input = byId("command");
  #error = byId("command-error");
  #message = byId("message");
  #sent = []; // the lines sent, latest last
  #back = 0; // how far back in them the box shows one
  #answering = null; // the line from the box that may still be refused
  #state = null;

  /** `onLine(line)` sends a line, and tells whether it could. */
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

  /** Shows what to type in a state, and its message. */
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

  /** Something has been sent, by whatever part of the page: a refusal is of that, and no more of what the box sent before. */
  sent() {
    this.#answering = null;
    this.#error.textContent = "";
  }

  /** What was sent last is refused: gives the line back to be mended, and in START says why in the box's own place. */
  refuse(error) {
    if (this.#state === "START") this.#error.textContent = error;
    if (this.#answering === null) return;
    if (this.#input.value === "" || this.#state === "START") {
      this.#input.value = this.#answering;
      this.#input.select();
    }
    this.#answering = null;
  }

  /** Puts a name into the box, to be taken with Enter. */
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

  /** Shows an example that fits what is chosen. */
  set example(text) {
    if (this.#state === "PLAY") this.#input.placeholder = text;
  }

  #recall(event, by) {
    const back = this.#back + by;
    if (this.#state === "START" || back < 0 || back > this.#sent.length) return;
    event.preventDefault();
    this.#back = back;
    this.#input.value = back === 0 ? "" : this.#sent.at(-back);
  }
}
