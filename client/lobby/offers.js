/**
 * The games that the server offers. The page loads this module with its own script element, so that the request starts
 * while the other modules are still loading. The cards wait for the answer and for the modules of the listed games.
 */

import { loadKind } from "../shared/kinds.js";

/** @import { KindInfo } from "../shared/kinds.js" */

/** @typedef {{levels: string[], most: number}} BotsInfo */
/** @typedef {(string | number)[]} TurnClocks */
/** @typedef {{kinds: KindInfo[], bots: BotsInfo, turn_clocks?: TurnClocks, open_rooms: string}} Offers */

/**
 * The first answer, or null if the request failed.
 * @type {Promise<Offers | null>}
 */
export const FIRST_OFFERS = askEarly();

/** @returns {Promise<Offers | null>} */
async function askEarly() {
  try {
    const answer = await fetch(new URL("rooms/kinds", document.baseURI));
    if (!answer.ok) return null;
    /** @type {Offers} */
    const offers = await answer.json();
    for (const { game } of offers.kinds) void loadKind(game);
    return offers;
  } catch {
    return null; // no answer, or an incomplete answer: the lobby asks again
  }
}
