/** The page for a wrong link, or a room that cannot be entered: the server's words, in the language of this page. */

import { setText, within } from "../shared/dom.js";
import { refusalWords } from "../shared/refusals.js";
import { putWords } from "../shared/wording.js";
import { SHARED } from "../shared/words.js";
import { WORDS } from "./words.js";

const page = within(document, ".refused");
const { code = "" } = page.dataset;
const words = within(page, "p");
putWords(WORDS);
document.title = WORDS.titles[code] ?? WORDS.otherwise;
setText(within(page, "h1"), document.title);
setText(words, code === "moved" ? SHARED.goesOn : refusalWords({ code, error: words.textContent }, WORDS.refusals));
