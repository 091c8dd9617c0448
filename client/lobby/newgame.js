/** The card of a kind of game: buttons that start a game with the current choices, and a folded form for choices. */

import { element, setText } from "../shared/dom.js";
import { chips, restore, showMistake, turnClock, valuesOf } from "../shared/forms.js";
import { rememberRoom } from "../shared/myrooms.js";
import { ask, Refused } from "../shared/rooms.js";
import { WORDS } from "./words.js";

/** @import { Art, KindInfo, KnownKind } from "../shared/kinds.js" */
/** @import { BotsInfo, TurnClocks } from "./offers.js" */

const KEPT = "scramble.newgame.";

const SVG = "http://www.w3.org/2000/svg";

export class NewGame {
  #info;
  #kind;
  #form = element("form", { class: "choices", novalidate: true, hidden: true });
  #summary = element("p", { class: "hint card-summary" });
  #error = element("p", { class: "error card-error", role: "alert" });
  #unfold;
  #quick;
  #token;
  #onUnfold;

  /**
   * `token()` returns the password for new games, "" if the server needs no password. `onUnfold(card)` is called when
   * the player opens the choices.
   * @param {object} parts
   * @param {KindInfo} parts.info
   * @param {KnownKind} parts.kind
   * @param {BotsInfo} parts.bots
   * @param {TurnClocks} parts.clocks
   * @param {() => string} parts.token
   * @param {(card: NewGame) => void} parts.onUnfold
   */
  constructor({ info, kind, bots, clocks, token, onUnfold }) {
    this.#info = info;
    this.#kind = kind;
    this.#token = token;
    this.#onUnfold = onUnfold;
    const title = kind.title || info.title;
    const id = `choices-${info.game}`;
    this.#form.id = id;
    this.#unfold = element("button", {
      type: "button",
      class: "button card-unfold",
      "aria-expanded": "false",
      "aria-controls": id,
      "aria-label": WORDS.forGame(WORDS.options, title),
      title: WORDS.options,
      on: { click: () => this.fold(!this.#form.hidden) },
    });
    this.#unfold.append(sliders());
    const start = (/** @type {string} */ text, /** @type {number} */ bots, tone = "", isAlone = false) =>
      element("button", {
        type: "button",
        class: `button ${tone}`,
        text,
        "aria-label": WORDS.forGame(text, title),
        on: { click: () => this.#open({ bots, isAlone, isPublic: false }) },
      });
    this.#quick = [
      ...(info.bots === 0 ? [] : [start(WORDS.playBot, 1, "button-primary")]),
      start(WORDS.playFriends, 0, info.bots === 0 ? "button-primary" : ""),
      ...(kind.mayBeAlone ? [start(WORDS.playAlone, 0, "", true)] : []),
    ];
    this.#form.append(
      ...kind.fields(info, token),
      ...(info.bots === 0 ? [] : this.#botFields(bots, info.bots)),
      ...(info.turn_clock && clocks.length > 0
        ? [turnClock(clocks, clocks.includes(45) ? "45" : String(clocks[0]))]
        : []),
      chips(
        "access",
        WORDS.access,
        [
          { value: "link", label: WORDS.byLink },
          { value: "anybody", label: WORDS.anybody },
          { value: "class", label: WORDS.aClass },
        ],
        "link",
      ),
      element(
        "label",
        { class: "pick-title", "data-field": "title" },
        WORDS.gameTitle,
        element("input", { class: "field", name: "title", maxlength: 60, autocomplete: "off", placeholder: title }),
        element("p", { class: "error", role: "alert", "data-error": "title" }),
      ),
      element("button", { class: "button button-primary", text: WORDS.start }),
    );
    this.#form.addEventListener("input", () => this.#changed());
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#open(null);
    });
    this.element = element(
      "article",
      { class: "card", "data-game": info.game },
      element(
        "div",
        { class: "card-head" },
        pictureOf(kind.art),
        element(
          "div",
          { class: "card-words" },
          element("h3", { text: title }),
          element("p", { text: kind.pitch }),
          this.#summary,
        ),
      ),
      element("div", { class: "card-acts" }, ...this.#quick, this.#unfold),
      this.#form,
      this.#error,
    );
    this.#restore();
    this.#changed();
  }

  /**
   * Hide the choices, or show them.
   * @param {boolean} folded
   */
  fold(folded) {
    this.#form.hidden = folded;
    this.#unfold.setAttribute("aria-expanded", String(!folded));
    this.element.toggleAttribute("data-unfolded", !folded);
    for (const button of this.#quick) button.hidden = !folded; // the open form has its own start button
    if (folded) return;
    this.#onUnfold(this);
    this.element.scrollIntoView({ block: "nearest" }); // folding other cards may have moved this card
  }

  /**
   * @param {BotsInfo} bots
   * @param {number} most
   */
  #botFields({ levels }, most) {
    const numbers = [...Array(most).keys()].map((less) => String(less + 1));
    return [
      chips(
        "bots",
        WORDS.bots,
        [{ value: "0", label: WORDS.noBots }, ...numbers.map((value) => ({ value, label: value }))],
        "0",
      ),
      chips(
        "level",
        WORDS.level,
        levels.map((value) => ({ value, label: WORDS.levels[value] ?? value })),
        levels.includes("easy") ? "easy" : levels[0],
      ),
    ];
  }

  #changed() {
    const values = valuesOf(this.#form);
    this.#kind.refresh?.(this.#form, values, this.#info);
    setText(this.#summary, this.#kind.summary(values, this.#info));
    const level = this.#form.querySelector("[data-field=level]");
    if (level instanceof HTMLElement) level.hidden = values.bots === "0" || values.alone === "on";
    this.#showErrors({});
  }

  #restore() {
    try {
      const kept = localStorage.getItem(KEPT + this.#info.game);
      if (kept !== null) restore(this.#form, JSON.parse(kept));
    } catch {
      /* storage is disabled: keep the defaults */
    }
  }

  /** @param {Record<string, string>} values */
  #keep(values) {
    const once = new Set(["title", ...[...this.#form.querySelectorAll("textarea")].map(({ name }) => name)]);
    const choices = Object.entries(values).filter(([name]) => !once.has(name));
    try {
      localStorage.setItem(KEPT + this.#info.game, JSON.stringify(Object.fromEntries(choices)));
    } catch {
      /* storage is disabled */
    }
  }

  /**
   * Open a game or a class with the form's values, and load its page. `how` replaces the values for bots, access and
   * playing alone.
   * @param {{bots: number, isAlone: boolean, isPublic: boolean} | null} how
   */
  async #open(how) {
    const values = valuesOf(this.#form);
    const chosen = { bots: Number(values.bots ?? 0), isAlone: values.alone === "on" };
    const { isAlone, isPublic, ...rest } = how ?? { ...chosen, isPublic: values.access === "anybody" };
    const isClass = how === null && values.access === "class";
    const bots = isAlone || isClass ? 0 : rest.bots;
    const title = values.title.trim();
    const body = {
      game: this.#info.game,
      ...(title === "" ? {} : { title }),
      ...this.#kind.body({ ...values, alone: isAlone ? "on" : "" }, this.#info),
      ...(values.turn_clock === undefined ? {} : { turn_clock: Number(values.turn_clock) || values.turn_clock }),
      public: isPublic,
      bots: Array.from({ length: bots }, () => ({ level: values.level })),
    };
    this.#busy(true);
    try {
      const token = this.#token();
      const room = await ask(isClass ? "classes" : "rooms", {
        method: "POST",
        headers: token === "" ? {} : { "Scramble-Token": token },
        body: JSON.stringify(body),
      });
      this.#keep(values);
      if (isClass) return location.assign(new URL(`c/${room.classroom}`, document.baseURI));
      rememberRoom({ room: room.room, game: room.game, title: room.title, role: "opened" });
      location.assign(new URL(`g/${room.room}${bots > 0 || isAlone ? "" : "#invite"}`, document.baseURI));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.#refused(error);
      this.#busy(false); // only after an error: while the browser loads the game's page, a tap must not open a 2nd game
    }
  }

  /** @param {boolean} busy */
  #busy(busy) {
    this.element.toggleAttribute("data-busy", busy);
    for (const button of this.element.querySelectorAll("button")) button.disabled = busy;
  }

  /** @param {Refused} refused */
  #refused(refused) {
    this.#showErrors(refused.errors, refused.values);
    if (Object.keys(refused.errors).length === 0) setText(this.#error, refused.words);
  }

  /**
   * Show each error beside its field. Errors of fields that this card does not have are shown below the form.
   * @param {Record<string, string>} errors
   * @param {Refused["values"]} values
   */
  #showErrors(errors, values = {}) {
    for (const error of this.#form.querySelectorAll(".error")) error.textContent = "";
    const others = [];
    for (const [path, words] of Object.entries(errors)) {
      const name = path.replace(/^settings\./, "").replace(/[.[].*/, "");
      const own = this.#form.querySelector(`.own[data-field="${name}"]`);
      const line = this.#form.querySelector(`[data-error="${name}"]`);
      if (own instanceof HTMLDetailsElement) {
        this.fold(false);
        own.open = true;
        showMistake(own, words, Number(values[path]?.line ?? 0));
      } else if (line !== null && !this.#form.hidden) line.textContent = words;
      else others.push(words);
    }
    setText(this.#error, others.join(" "));
  }
}

/** @param {Art} art */
function pictureOf(art) {
  const squares = art.map(([text, classes]) => element("span", { class: `art-square ${classes}`, text }));
  return element("div", { class: "art", "aria-hidden": "true" }, ...squares);
}

/** A picture of two sliders, for choices. */
function sliders() {
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("viewBox", "0 0 24 24");
  picture.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute(
    "d",
    "M3 8h8M17 8h4M3 16h4M13 16h8M11 8a3 3 0 1 0 6 0 3 3 0 1 0-6 0M7 16a3 3 0 1 0 6 0 3 3 0 1 0-6 0",
  );
  picture.append(path);
  return picture;
}
