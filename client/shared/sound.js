/** Short synthesized sounds for events, off by default. */

import { element } from "./dom.js";
import { ROOM } from "./words.js";

/** @typedef {"turn" | "match" | "mine" | "boom" | "come" | "end"} Sound */

const KEY = "scramble.sound";
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
  for (const input of document.querySelectorAll(".setting > .sounds"))
    if (input instanceof HTMLInputElement) input.checked = on;
  if (on) play("turn"); // browsers allow the first sound only during a user action
}

/** A switch for sounds. */
export function soundSwitch() {
  const input = element("input", { type: "checkbox", class: "sounds", checked: soundIsOn() });
  input.addEventListener("change", () => chooseSound(input.checked));
  return element("label", { class: "setting" }, input, element("span", { text: ROOM.sounds }));
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
