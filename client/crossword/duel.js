/** The two players side by side: points and words while they play, and who has won in the end. */

import { byId, counted, element } from "../shared/dom.js";
import { playerChip, tint } from "./hues.js";
import { endWords, signed } from "./words.js";

/** Draws the panel during a match; `drawn` is what the last call returned, and saves drawing the same again. */
export function showDuel(match, drawn) {
  const sides = [match.me, match.other].map((player) => ({ player, points: match.points[player], ...match.countOf(player) }));
  const looks = JSON.stringify([sides, match.words.length]);
  if (looks === drawn) return looks;
  byId("duel").replaceChildren(
    ...sides.map(({ player, points, entered, confirmed }) => {
      const side = element("div", { class: "side", "data-player": player, "data-side": player === match.me ? "mine" : "theirs" },
        playerChip(player, { you: player === match.me, players: match.players }),
        element("p", { class: "side-points", "data-points": points, title: `${counted(points, "challenge point")}` }, signed(points), element("span", { class: "side-unit", text: " challenge points" })),
        element("p", { class: "side-words" }, swatch(player === match.me, false), element("span", { text: counted(entered, "word") }),
          ...(confirmed > 0 ? [swatch(player === match.me, true), element("span", {}, String(confirmed), element("span", { class: "side-more", text: " confirmed" }))] : [])));
      return tint(side, player, match.players);
    }),
    progress(match, sides.map(({ player, entered }) => [player, entered]), match.words.length),
  );
  return looks;
}

/** What a square of such a word looks like on the board. */
function swatch(isMine, confirmed) {
  return element("span", { class: "swatch", "data-side": isMine ? "mine" : "theirs", "data-confirmed": confirmed, "aria-hidden": "true" });
}

function progress(match, shares, whole) {
  return element("div", { class: "progress", "aria-hidden": "true" }, ...shares.map(([player, share], nth) => {
    const part = tint(element("span", { "data-side": nth === 0 ? "mine" : "theirs" }), player, match.players);
    part.style.width = `${(100 * share) / whole}%`;
    return part;
  }));
}

/** Draws the result of a match. */
export function showResult(result, match) {
  const { title, words } = endWords(result, match.me);
  byId("result-title").textContent = title;
  byId("result-words").textContent = words;
  byId("result").dataset.outcome = result.winner === null ? "draw" : result.winner === match.me ? "won" : "lost";
  byId("result-sides").replaceChildren(...[match.me, match.other].map((player) => {
    const points = result.points[player];
    const challenges = match.points[player];
    return tint(element("li", { class: "score", "data-player": player, "data-winner": result.winner === player },
      playerChip(player, { you: player === match.me, players: match.players }),
      element("span", { class: "score-points", text: String(points).replace("-", "−"), "aria-label": counted(points, "point") }),
      element("span", { class: "score-how", text: `${counted(points - challenges, "correct word")}, ${signed(challenges)} from challenges` })), player, match.players);
  }));
}
