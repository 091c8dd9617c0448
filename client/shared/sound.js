/** Short synthesized sounds for events, off by default. */

import { element } from "./dom.js";
import { SHARED } from "./words.js";

/** @typedef {"turn" | "match" | "mine" | "boom" | "come" | "end"} Sound */

const KEY = "scramble.sound";
const SVG = "http://www.w3.org/2000/svg";
const VOLUME = 0.12;

/**
 * The tones of each sound: start and length in seconds, pitch in Hz, and waveform.
 * @type {Record<Sound, [at: number, length: number, pitch: number, wave: OscillatorType][]>}
 */
const TONES = {
  turn: [[0, 0.06, 520, "triangle"]],
  match: [
    [0, 0.09, 660, "triangle"],
    [0.09, 0.14, 880, "triangle"],
  ],
  mine: [[0, 0.05, 340, "square"]],
  boom: [
    [0, 0.35, 70, "sawtooth"],
    [0, 0.2, 48, "square"],
  ],
  come: [
    [0, 0.1, 784, "sine"],
    [0.12, 0.16, 1047, "sine"],
  ],
  end: [
    [0, 0.14, 523, "triangle"],
    [0.14, 0.14, 659, "triangle"],
    [0.28, 0.3, 784, "triangle"],
  ],
};

/** @type {AudioContext | null} */ let audio = null;

/** True if the user has enabled sounds. */
export function soundIsOn() {
  try {
    return localStorage.getItem(KEY) === "on";
  } catch {
    return false; // storage is disabled: no sounds
  }
}

/** @param {boolean} on */
function chooseSound(on) {
  try {
    localStorage.setItem(KEY, on ? "on" : "off");
  } catch {
    /* storage is disabled: the choice is not stored */
  }
  for (const button of document.querySelectorAll(".sound-switch")) button.setAttribute("aria-pressed", String(on));
  if (on) play("turn"); // browsers allow the first sound only during a user action
}

/** A switch for sounds, for the bar of a page. */
export function soundSwitch() {
  const button = element("button", {
    type: "button",
    class: "sound-switch",
    "aria-label": SHARED.sounds,
    "aria-pressed": soundIsOn() ? "true" : "false",
    title: SHARED.sounds,
    on: { click: () => chooseSound(!soundIsOn()) },
  });
  button.append(picture());
  return button;
}

/**
 * An offer of sounds, for the end of the first game. Null if the user has had the offer, or has used the switch.
 * @returns {HTMLElement | null}
 */
export function soundOffer() {
  try {
    if (localStorage.getItem(KEY) !== null) return null;
    localStorage.setItem(KEY, "off"); // the offer is made once
  } catch {
    return null; // storage is disabled: the choice would be lost
  }
  const accept = element("button", { type: "button", class: "button button-small", text: SHARED.soundsOn });
  const offer = element("p", { class: "sound-offer" }, SHARED.soundsOffered, accept);
  accept.addEventListener("click", () => {
    chooseSound(true);
    offer.replaceChildren(SHARED.soundsAreOn);
  });
  return offer;
}

/** A picture of a loudspeaker. The waves are visible while sounds are on. */
function picture() {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  for (const [name, shape] of [
    ["speaker", "M4 9.5v5h3.5L12 18.500V5.500L7.5 9.500z"],
    ["waves", "M15 9a4 4 0 0 1 0 6M17.5 6.500a7.5 7.5 0 0 1 0 11"],
    ["muted", "M15.5 9.500l5 5M20.5 9.500l-5 5"],
  ]) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("class", name);
    path.setAttribute("d", shape);
    svg.append(path);
  }
  return svg;
}

/**
 * Play a sound if sounds are on.
 * @param {Sound} sound
 */
export function play(sound) {
  if (!soundIsOn() || !("AudioContext" in window)) return;
  audio ??= new AudioContext();
  void audio.resume();
  for (const [at, length, pitch, wave] of TONES[sound]) {
    const start = audio.currentTime + at;
    const tone = new OscillatorNode(audio, { type: wave, frequency: pitch });
    const gain = new GainNode(audio, { gain: 0 });
    gain.gain.setValueAtTime(0, start);
    gain.gain.linearRampToValueAtTime(VOLUME, start + 0.01);
    gain.gain.exponentialRampToValueAtTime(0.001, start + length);
    tone.connect(gain).connect(audio.destination);
    tone.start(start);
    tone.stop(start + length);
  }
}
