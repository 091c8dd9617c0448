/**
 * The games that the server offers, in the page. The page loads this module with its own script element, so that the
 * modules of the games start to load while the other modules are still loading.
 */

import { loadKind } from "../shared/kinds.js";
import { takeAnswer } from "../shared/pagedata.js";

/** @import { KindInfo } from "../shared/kinds.js" */

/** @typedef {{levels: string[], most: number}} BotsInfo */
/** @typedef {(string | number)[]} TurnClocks */
/** @typedef {{kinds: KindInfo[], bots: BotsInfo, turn_clocks?: TurnClocks, open_rooms: string}} Offers */

/**
 * The answer in the page, or null: then the lobby requests it.
 * @type {Offers | null}
 */
export const FIRST_OFFERS = takeAnswer("rooms/kinds");

for (const { game } of FIRST_OFFERS?.kinds ?? []) void loadKind(game);
