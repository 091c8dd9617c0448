/** The colours of the current theme, for drawing on a canvas. */

import { element } from "../shared/dom.js";
import { dye, hueOf } from "../shared/hues.js";

export class Palette {
  font = "";
  #probe = element("span", { hidden: true });
  /** @type {Map<string, string>} */ #colours = new Map();

  /**
   * `onChange()` is called when the theme has changed.
   * @param {() => void} onChange
   */
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

  /**
   * The colour of a token, such as "ink".
   * @param {string} name
   */
  token(name) {
    return this.#read(name, () => this.#resolve(`var(--${name})`));
  }

  /**
   * A player's colour. `kind` is "player", or the name of a colour that tokens.css derives from it, like "player-ink".
   * @param {string} player
   */
  of(player, kind = "player") {
    return this.#read(`${kind} of ${player}`, () => this.ofHue(hueOf(player), kind));
  }

  /**
   * The colour `kind` for a hue.
   * @param {number} hue
   */
  ofHue(hue, kind = "player") {
    return this.#read(`${kind} ${hue}`, () => {
      dye(this.#probe, hue);
      return this.#resolve(`var(--${kind})`);
    });
  }

  /**
   * @param {string} key
   * @param {() => string} make
   */
  #read(key, make) {
    const known = this.#colours.get(key);
    if (known !== undefined) return known;
    const made = make();
    this.#colours.set(key, made);
    return made;
  }

  /** @param {string} value */
  #resolve(value) {
    this.#probe.style.color = value;
    return getComputedStyle(this.#probe).color;
  }
}
