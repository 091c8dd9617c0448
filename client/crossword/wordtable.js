/** The table of a match that is over: each word, its answer, and its owner. */

import { byId, element } from "../shared/dom.js";
import { chip } from "../shared/player.js";
import { placeWords, WORDS } from "./words.js";

/** @import { Match, Word } from "./match.js" */

/**
 * Draw the table. Hide it if `match` is null.
 * @param {Match | null} match
 */
export function showWordTable(match) {
  byId("words-panel").hidden = match === null;
  if (match === null) return;
  const head = [WORDS.word, WORDS.answer, WORDS.player].map((text) => element("th", { scope: "col", text }));
  byId("words-table").replaceChildren(
    element("thead", {}, element("tr", {}, ...head)),
    element("tbody", {}, ...match.inOrder().map((word) => row(match, word))),
  );
}

/**
 * @param {Match} match
 * @param {Word} word
 */
function row(match, word) {
  const outcome = match.outcomeOf(word);
  const answer = match.solution?.[word.id - 1] ?? word.entered ?? "–";
  const who =
    word.entered === null
      ? [element("span", { class: "hint", text: WORDS.nobody })]
      : [
          chip(word.by, { you: word.by === match.you }),
          element(
            "span",
            { class: "word-outcome", "data-outcome": outcome },
            element("span", { "aria-hidden": "true", text: outcome === "right" ? "✓" : "✗" }),
            element("span", { class: "unseen", text: outcome === "right" ? WORDS.right : WORDS.wrong }),
          ),
          outcome === "wrong" && word.entered !== answer
            ? element("span", { class: "hint", text: WORDS.said(word.entered) })
            : null,
        ].filter((part) => part !== null);
  return element(
    "tr",
    { "data-word": word.id, "data-outcome": outcome },
    element("th", { scope: "row", text: placeWords(word) }),
    element("td", { class: "answer", text: answer }),
    element("td", {}, element("span", { class: "word-who" }, ...who)),
  );
}
