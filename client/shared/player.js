/** Who plays: a name that is suggested, checked and kept; and the hue and initials that follow from it. */

import { element } from "./dom.js";

const KEY = "scramble.name";
const NAME = /^[A-Za-z0-9_]{1,20}$/;

const TEMPERS = ["brave", "calm", "clever", "jolly", "keen", "lucky", "merry", "nimble", "quick", "quiet", "sunny", "witty"];
const CREATURES = ["badger", "crane", "dolphin", "fox", "gecko", "heron", "koala", "lynx", "magpie", "newt", "otter",
  "panda", "quail", "raven", "seal", "tapir", "wombat", "yak"];

const pick = (list) => list[Math.floor(Math.random() * list.length)];

/** A name nobody had to think of, such as "quiet_otter". */
export function suggestName() {
  return `${pick(TEMPERS)}_${pick(CREATURES)}`;
}

/** Whether the server takes this as a player: letters, digits and underscores, 1 to 20 of them. */
export function isName(text) {
  return NAME.test(text);
}

/** The name of this tab (after a reload), or null. */
export function nameOfTab() {
  return read(() => sessionStorage.getItem(KEY));
}

/** The name last used in this browser, or null. */
export function lastName() {
  return read(() => localStorage.getItem(KEY));
}

function read(get) {
  try {
    const name = get();
    return name !== null && isName(name) ? name : null;
  } catch {
    return null; // storage is switched off
  }
}

/** Keeps the name: for this tab, so that a reload goes on playing, and for the next visit. */
export function keepName(name) {
  try {
    sessionStorage.setItem(KEY, name);
    localStorage.setItem(KEY, name);
  } catch {
    /* storage is switched off: asked again next time */
  }
}

/**
 * Names that other tabs of this browser play under. Two tabs side by side are usually two players, so a tab
 * asks before it suggests a name that is taken.
 */
export class TabNames {
  #channel = "BroadcastChannel" in window ? new BroadcastChannel("scramble.names") : null;
  #mine = null;
  #others = new Set();

  constructor() {
    this.#channel?.addEventListener("message", ({ data }) => {
      if (data.ask && this.#mine !== null) this.#channel.postMessage({ name: this.#mine });
      if (data.name) this.#others.add(data.name);
    });
  }

  /** Tells other tabs, when they ask, that this one plays as `name`. */
  claim(name) {
    this.#mine = name;
  }

  /** The names of other tabs, after a moment for them to answer. */
  async elsewhere() {
    if (this.#channel === null) return new Set();
    this.#others.clear();
    this.#channel.postMessage({ ask: true });
    await new Promise((done) => setTimeout(done, 120));
    return new Set(this.#others);
  }
}

/** The hue of a name, 0 to 359: the same on every page, in every browser. */
export function hueOf(name) {
  // FNV-1a, then an avalanche, so that alice1 and alice2 lie far apart. The basis is one by which the five names that
  // people try first (alice, bob, charlie, carol, dave) lie far apart too.
  let hash = 18216;
  for (const character of name) hash = Math.imul(hash ^ character.codePointAt(0), 0x01000193);
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  return (hash >>> 0) % 360;
}

/** Two letters for a badge: "quiet_otter" is QO, "alice" is Al, "x" is X. */
export function initialsOf(name) {
  const parts = name.match(/[A-Z]?[a-z]+|[A-Z]+|[0-9]+/g) ?? [];
  if (parts.length > 1) return (parts[0][0] + parts[1][0]).toUpperCase();
  const word = parts[0] ?? name;
  return word[0].toUpperCase() + word.slice(1, 2);
}

/** Gives an element the colours of a player: --player, --player-ink, --player-soft. */
export function paint(target, name) {
  target.classList.add("hue");
  target.style.setProperty("--hue", String(hueOf(name)));
  return target;
}

/** A round badge with a player's initials, for boards and lists. */
export function badge(name) {
  return paint(element("span", { class: "badge", text: initialsOf(name), "aria-hidden": "true" }), name);
}

/** A chip: badge and name, and "you" if it is. */
export function chip(name, { you = false } = {}) {
  return element("span", { class: you ? "chip chip-you" : "chip" }, badge(name),
    element("span", { class: "chip-name", text: name, title: name }),
    you ? element("span", { class: "chip-tag", text: "you" }) : null);
}
