/**
 * What the server offers to play. The page has this module as a script of its own, so that the server is asked while
 * the other modules are still on their way: the cards wait for its answer, and for the kinds of games that it names.
 */

import { loadKind } from "../shared/kinds.js";

/** @import { KindInfo } from "../shared/kinds.js" */

/** @typedef {{levels: string[], most: number}} BotsInfo */
/** @typedef {(string | number)[]} TurnClocks */
/** @typedef {{kinds: KindInfo[], bots: BotsInfo, turn_clocks?: TurnClocks, open_rooms: string}} Offers */

/**
 * The first answer; null if there was none.
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
    return null; // no answer, or one that was cut off: the lobby asks again
  }
}
