/** The daily challenge: the time in words, the result as a text to share, and the streak of days in this browser. */

import { element } from "./dom.js";
import { clockWords } from "./grammar.js";
import { copy } from "./share.js";

/** @import { KnownKind } from "./kinds.js" */
/** @import { Figures } from "./rooms.js" */

const KEY = "scramble.daily";
const DAY_MS = 86_400_000;
const MOST_STARS = 3;
const CLOCK_S = 120; // from this time on it has the form of a clock

/**
 * @typedef {object} DailyEntry an entry of a table
 * @property {number} place
 * @property {string} name
 * @property {number} points
 * @property {number} seconds
 * @property {Figures} figures
 * @property {boolean} mine
 * @property {string | null} room with the replay
 */
/**
 * @typedef {object} Challenge of one game (docs/reference/rooms-api.md)
 * @property {string} game
 * @property {"new" | "playing" | "ended"} attempt of this browser
 * @property {string | null} room of this attempt
 * @property {number} players
 * @property {DailyEntry[]} table
 * @property {DailyEntry | null} before the best entry of an earlier day
 */
/** @typedef {{day: string, number: number, games: Challenge[]}} Daily the answer to GET /rooms/daily */
/** @typedef {{day: string, length: number}} Streak the last day with a result, and the number of days in a row */

/**
 * The time of an entry: "42 s", "3:07".
 * @param {number} seconds
 */
export function timeWords(seconds) {
  return seconds < CLOCK_S ? `${Math.floor(seconds)}\u00a0s` : clockWords(1000 * seconds);
}

/**
 * Three squares for the quality of a result, or "" if it is unknown. They show no card, no bomb and no word.
 * @param {KnownKind} kind
 * @param {Figures} figures
 */
export function squares(kind, figures) {
  const stars = kind.stars?.(figures) ?? null;
  if (stars === null) return "";
  const green = Math.max(0, Math.min(MOST_STARS, stars));
  return "🟩".repeat(green) + "🟨".repeat(MOST_STARS - green);
}

/**
 * The result as a text to share, with the link to the lobby.
 * @param {{title: string, number: number, entry: Pick<DailyEntry, "seconds" | "figures">, kind: KnownKind,
 *   link: string}} result
 */
export function resultText({ title, number, entry, kind, link }) {
  const facts = [`${title} #${number}`, timeWords(entry.seconds), squares(kind, entry.figures)];
  return `${facts.filter((fact) => fact !== "").join(", ")}\n${link}`;
}

/**
 * The streak after a result on `day`, a date such as "2026-11-29". A day counts once; a missed day begins anew.
 * @param {Streak | null} before
 * @param {string} day
 * @returns {Streak}
 */
export function continued(before, day) {
  if (before !== null && day <= before.day) return before;
  const isNext = before !== null && Date.parse(day) - Date.parse(before.day) === DAY_MS;
  return { day, length: isNext ? before.length + 1 : 1 };
}

/**
 * The length of the streak on `day`: 0 if the last result is older than the day before.
 * @param {Streak | null} streak
 * @param {string} day
 */
export function lengthOn(streak, day) {
  return streak !== null && Date.parse(day) - Date.parse(streak.day) <= DAY_MS ? streak.length : 0;
}

/**
 * The streak in this browser's storage, or null. Without storage the result is null, too.
 * @returns {Streak | null}
 */
export function keptStreak() {
  try {
    const { day, length } = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return Number.isNaN(Date.parse(day)) || !Number.isSafeInteger(length) ? null : { day, length };
  } catch {
    return null;
  }
}

/**
 * Note a result on `day` in this browser's storage.
 * @param {string} day
 */
export function noteResult(day) {
  try {
    localStorage.setItem(KEY, JSON.stringify(continued(keptStreak(), day)));
  } catch {
    /* storage is disabled, or full: there is no streak */
  }
}

/**
 * Share a text by the share sheet of the system, or else copy it. Return "shared", "copied" or "failed".
 * @param {string} text
 * @returns {Promise<"shared" | "copied" | "failed">}
 */
export async function shareText(text) {
  const isTouch = matchMedia("(any-pointer: coarse)").matches; // on a desktop, people paste the text themselves
  try {
    if (isTouch && navigator.share !== undefined) {
      await navigator.share({ text });
      return "shared";
    }
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return "shared"; // the user closed the sheet
  }
  const field = element("textarea", { class: "unseen", readonly: true });
  field.value = text;
  (document.querySelector("dialog[open]") ?? document.body).append(field); // a dialog makes the rest of the page inert
  const worked = await copy(field);
  field.remove();
  return worked ? "copied" : "failed";
}
