/** The dialog "My records": statistics and best values of each game, and their export and import as one file. */

import { byId, element, setText, within } from "../shared/dom.js";
import { sizeOf } from "../shared/forms.js";
import { loadKind } from "../shared/kinds.js";
import { bestOf, exported, imported, played, statisticsOf } from "../shared/records.js";
import { ROOM } from "../shared/words.js";
import { WORDS } from "./words.js";

const MOST_BYTES = 2_000_000; // of a file; a full list has about 150 kB
const MOST_BOARDS = 8; // of one game: the boards of the latest games

/** Make the buttons "My records" open their dialog: in the list of games, and in the dialog for the name. */
export function setUpRecords() {
  const dialog = byId("records", HTMLDialogElement);
  const file = within(dialog, "input", HTMLInputElement);
  const note = byId("records-note");
  for (const button of document.querySelectorAll(".records-open"))
    button.addEventListener("click", async () => {
      setText(note, "");
      await draw();
      dialog.showModal();
    });
  within(dialog, ".cancel").addEventListener("click", () => dialog.close());
  byId("records-import").addEventListener("click", () => file.click());
  file.addEventListener("change", async () => {
    const [chosen] = file.files ?? [];
    if (chosen === undefined) return;
    setText(note, await take(chosen));
    file.value = ""; // the same file may be chosen again
    await draw();
  });
}

/**
 * Import a file, and return the result in words.
 * @param {File} chosen
 */
async function take(chosen) {
  try {
    const added = chosen.size > MOST_BYTES ? null : imported(await chosen.text());
    return added === null ? WORDS.wrongRecords : WORDS.recordsAdded(added);
  } catch {
    return WORDS.recordsNotKept; // the file cannot be read, or the storage is full or disabled
  }
}

async function draw() {
  const all = played();
  const games = [...new Set(all.map(({ game }) => game))];
  const parts = games.map(async (game) => {
    const { title } = await loadKind(game);
    const mine = all.filter((one) => one.game === game);
    const boards = [...new Set(mine.map(({ board }) => board).reverse())].slice(0, MOST_BOARDS);
    const rows = boards.flatMap((board) => {
      const best = ROOM.values(bestOf(mine.filter((one) => one.board === board).map(({ values }) => values)));
      return best === "" ? [] : [element("li", {}, `${boardWords(board)} `, element("strong", { text: best }))];
    });
    return element(
      "section",
      {},
      element("h3", { text: title || game }),
      element("p", { text: ROOM.myGames(statisticsOf(mine)) }),
      rows.length === 0 ? null : element("ul", {}, ...rows),
    );
  });
  byId("records-games").replaceChildren(...(await Promise.all(parts)));
  byId("no-records").hidden = all.length > 0;
  const save = byId("records-export", HTMLAnchorElement);
  save.hidden = all.length === 0;
  save.href = `data:application/json,${encodeURIComponent(exported())}`;
}

/**
 * The name of a board, from the kind of its game: "6x6", "6x6 solo".
 * @param {string} board
 */
function boardWords(board) {
  const size = board.replace(/ ?solo$/, "").replace(/\d+x\d+/, sizeOf);
  const words = [size, board.endsWith("solo") ? WORDS.playAlone : ""].filter((part) => part !== "");
  return words.length === 0 ? "" : `${words.join(" · ")}:`;
}
