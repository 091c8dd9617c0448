/** Crosswords of other programs: the server converts the file, and nobody sees the solution. */

import { ask, Refused } from "../shared/rooms.js";
import { SHARED } from "../shared/words.js";
import { WORDS } from "./words.js";

/** @import { Converted } from "./forms.js" */

const OWN = /\.(puzzle|txt)$/i; // files that are a text for people already

const ROOT = new URL("../../", import.meta.url).href; // this form is on the pages of rooms, too

/** What the browser's dialog offers to choose. */
export const PUZZLE_FILES = ".puz,.ipuz,.puzzle,.txt,text/plain,application/json";

/**
 * Make the text of a puzzle of a file; null if it is one already. Throws an Error with words.
 * @param {File} file
 * @param {string} token the password for new games, "" if none is needed
 * @returns {Promise<Converted | null>}
 */
export async function convertPuzzle(file, token) {
  if (OWN.test(file.name)) return null;
  try {
    const name = file.name.replace(/\.[^.]*$/, "");
    const found = await ask(`rooms/puzzle?name=${encodeURIComponent(name)}`, {
      base: ROOT,
      method: "POST",
      headers: {
        "Content-Type": "application/octet-stream",
        ...(token === "" ? {} : { "Scramble-Token": token }),
      },
      body: file,
    });
    const size = `${found.rows} × ${found.columns}`;
    return { text: found.source, words: `${found.title} · ${size}, ${WORDS.wordCount(found.words)}` };
  } catch (error) {
    if (error instanceof Refused) throw new Error(wordsOf(error));
    throw error;
  }
}

/** @param {Refused} refused */
function wordsOf({ status, code, params, message, words: others }) {
  if (status === 0) return SHARED.noAnswer;
  if (status === 413) return WORDS.tooLong;
  if (code !== "cannot-import") return others;
  const words = WORDS.cannotImport[params.why]?.(params);
  if (words === undefined) return message;
  return params.row === undefined ? words : WORDS.atSquare(Number(params.row), Number(params.column), words);
}
