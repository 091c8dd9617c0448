/** The colours of the theme as it is now, for what is drawn on a canvas. */

import { element } from "../shared/dom.js";
import { hueOf } from "../shared/player.js";

export class Palette {
  font = "";
  #probe = element("span", { class: "sample", hidden: true }); // .sample: memory.css gives it the colours of a card's back
  #colours = new Map();

  /** `onChange()` is called when the theme has changed. */
  constructor(onChange) {
    document.body.append(this.#probe);
    const changed = () => {
      this.#colours.clear();
      onChange();
    };
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
    new MutationObserver(changed).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    this.font = getComputedStyle(document.body).fontFamily;
  }

  /** The colour of a token, such as "ink". */
  token(name) {
    return this.#read(name, () => this.#resolve(`var(--${name})`));
  }

  /** A player's colour: "player", "player-ink" or "player-soft". */
  of(player, kind = "player") {
    return this.#read(`${kind} of ${player}`, () => this.ofHue(hueOf(player), kind));
  }

  /** The same of a hue. */
  ofHue(hue, kind = "player") {
    return this.#read(`${kind} ${hue}`, () => {
      this.#probe.classList.add("hue");
      this.#probe.style.setProperty("--hue", String(hue));
      return this.#resolve(`var(--${kind})`);
    });
  }

  #read(key, make) {
    if (!this.#colours.has(key)) this.#colours.set(key, make());
    return this.#colours.get(key);
  }

  #resolve(value) {
    this.#probe.style.color = value;
    return getComputedStyle(this.#probe).color;
  }
}
