/** What stands beside the field: who is here and where they dug last, how much is left, how to come by telnet. */

import { byId, counted, element, setText } from "../shared/dom.js";
import { chip } from "../shared/player.js";
import { nameWords, placeWords } from "./words.js";

const MOST_SHOWN = 40;

export class Sidebar {
  #list = byId("players");
  #onGo;
  #drawn = "";

  /** `onGo(index)` is called when somebody wants to see a player's square. */
  constructor({ onGo }) {
    this.#onGo = onGo;
  }

  /** Shows players and counts; draws nothing if nothing of it has changed. */
  show(field) {
    const { columns, rows, untouched, flagged, players, you } = field;
    setText(byId("counts"), rows === 0 ? "" : `${untouched.toLocaleString()} untouched, ${counted(flagged, "flag")}`);
    setText(byId("size"), rows === 0 ? "" : `${columns} × ${rows}`);
    setText(byId("players-count"), players.size > 1 ? String(players.size) : "");
    const sorted = [...players.values()].sort((a, b) => (b.id === you) - (a.id === you)).slice(0, MOST_SHOWN);
    const shown = sorted.map((player) => ({ ...player, title: nameWords(field, player) }));
    const drawn = JSON.stringify([shown, you, players.size]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    const more = players.size - shown.length;
    this.#list.replaceChildren(...shown.map((player) => this.#row(field, player)),
      ...(more > 0 ? [element("li", { class: "player hint", text: `and ${more} more` })] : []));
  }

  #row(field, { id, name, title, at }) {
    const who = chip(name, { you: id === field.you });
    setText(who.querySelector(".chip-name"), title);
    const place = at === null ? element("span", { class: "player-note", text: "new" })
      : element("button", { class: "player-place", type: "button", text: placeWords(field, at), "aria-label": `Show ${title}: ${placeWords(field, at)}`,
        on: { click: () => this.#onGo(at) } });
    return element("li", { class: "player", "data-player": id }, who, place);
  }
}

/** Asks the server how one joins by telnet, and says so; says nothing if one cannot. */
export async function showTelnet() {
  const line = byId("telnet");
  try {
    const { telnet } = await (await fetch(new URL("server", document.baseURI))).json();
    line.hidden = telnet === null;
    setText(byId("telnet-command"), `telnet ${location.hostname.replace(/^\[|\]$/g, "")} ${telnet}`);
  } catch {
    line.hidden = true;
  }
}
