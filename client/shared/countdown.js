/**
 * "3, 2, 1" before the next game of the same people. All their pages count to the same moment, by the server's clock:
 * so a player with a fast connection does not begin earlier.
 */

import { element, setText, within } from "./dom.js";
import { isBot } from "./names.js";

/** @import { Room } from "./room.js" */

const BEGINS_MS = 4500; // from the opening of the room; the pages of the others need some time to load
const LEAST_MS = 700; // a shorter rest is not counted
const SECOND_MS = 1000;
const FROM = 3;

/**
 * Count down if this room was opened just now for the next game of several people. The board takes no input meanwhile.
 * @param {Room} room
 */
export async function countIn(room) {
  const { after, opened, state } = room.record ?? {};
  if (!after || opened === undefined || state !== "open") return;
  const before = await fetch(new URL(`rooms/${after}`, room.lobby)).catch(() => null);
  if (before === null || !before.ok) return;
  const { result } = await before.json();
  if (Object.keys(result?.scores ?? {}).filter((player) => !isBot(player)).length < 2) return;
  const now = Date.parse(before.headers.get("Date") ?? "") + SECOND_MS / 2; // the header has whole seconds
  const left = Math.min(1000 * opened + BEGINS_MS - now, FROM * SECOND_MS);
  if (left >= LEAST_MS) await count(left, room.mode === "play"); // NaN without the header: no countdown
}

/**
 * @param {number} left in milliseconds
 * @param {boolean} blocks
 */
async function count(left, blocks) {
  const digit = element("p", { class: "countdown-digit", role: "status" });
  const cover = element("div", { class: "countdown" }, digit);
  const main = within(document, "main");
  document.body.append(cover);
  main.inert = blocks;
  const end = performance.now() + left;
  for (let rest = left; rest > 0; rest = end - performance.now()) {
    setText(digit, String(Math.ceil(rest / SECOND_MS)));
    const next = rest % SECOND_MS || SECOND_MS;
    await new Promise((done) => setTimeout(done, next));
  }
  cover.remove();
  main.inert = false;
  const cell = main.querySelector('[tabindex="0"]');
  if (blocks && document.activeElement === document.body && cell instanceof HTMLElement) cell.focus();
}
