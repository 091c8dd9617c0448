/**
 * The avatars of players, and the avatar that the user has chosen.
 *
 * An avatar is a number of a drawing (avatarart.js). In a room the server has the avatars that people have chosen, all
 * different, and sends them to every page. Another player's ID determines a default avatar, or the next free one. An
 * element with an avatar has the player's ID in `data-avatar-of`, so that the page can change the avatar later.
 */

import { AVATARS, BOT_AVATARS, drawAvatar } from "./avatarart.js";
import { hashOf } from "./hues.js";
import { isBot } from "./names.js";

const KEY = "scramble.avatar";

/** @type {Map<string, number>} */
let given = new Map(); // by player, from the server

/** @type {Map<string, number>} */
const derived = new Map(); // by player, different from each other and from the given ones while some are free

/**
 * The avatar of a player.
 * @param {string} player
 */
export function avatarOf(player) {
  const known = given.get(player) ?? derived.get(player);
  if (known !== undefined) return known;
  const taken = new Set([...given.values(), ...derived.values()]);
  const [first, count] = isBot(player) ? [AVATARS, BOT_AVATARS] : [0, AVATARS];
  const wish = hashOf(player) % count;
  const all = Array.from({ length: count }, (_, nth) => first + ((wish + nth) % count));
  const avatar = all.find((one) => !taken.has(one)) ?? all[0];
  derived.set(player, avatar);
  return avatar;
}

/**
 * Note the avatars that players have chosen, by player, and change all elements of the players whose avatar differs.
 * @param {Record<string, number>} avatars
 */
export function noteAvatars(avatars) {
  given = new Map(Object.entries(avatars));
  const taken = new Set(given.values());
  for (const [player, avatar] of derived) if (given.has(player) || taken.has(avatar)) derived.delete(player);
  for (const shown of document.querySelectorAll("[data-avatar-of]")) {
    const { dataset } = /** @type {HTMLElement} */ (shown);
    const avatar = String(avatarOf(dataset.avatarOf ?? ""));
    if (dataset.avatar === avatar) continue;
    dataset.avatar = avatar;
    shown.replaceChildren(drawAvatar(Number(avatar)));
  }
}

/** The avatars that people in this room have chosen, by player. */
export const chosenAvatars = () => new Map(given);

/**
 * The avatar of this browser: the user's choice, else a random avatar, which stays the same.
 * @returns {number}
 */
export function keptAvatar() {
  const random = Math.floor(Math.random() * AVATARS);
  try {
    const kept = localStorage.getItem(KEY) ?? "";
    if (/^\d+$/.test(kept) && Number(kept) < AVATARS) return Number(kept);
  } catch {
    return random; // storage is disabled
  }
  keepAvatar(random);
  return random;
}

/**
 * Store the user's choice.
 * @param {number} avatar
 */
export function keepAvatar(avatar) {
  try {
    localStorage.setItem(KEY, String(avatar));
  } catch {
    /* storage is disabled, or full */
  }
}
