/** Four in a row for the lobby, rooms and replays. */

import { chips, sizeOf } from "../shared/forms.js";
import { WORDS } from "./words.js";

/** @import { Kind, KindInfo } from "../shared/kinds.js" */

/** @type {Kind<KindInfo & {sizes: string[]}>} */
export const KIND = {
  title: WORDS.title,
  pitch: WORDS.pitch,
  art: ["gone", "gone", "two", "one", "two", "one", "two", "one", "one"].map((disc) => ["", `${disc} round`]),
  places: 2,
  fields: ({ sizes }) => [
    chips(
      "size",
      WORDS.size,
      sizes.map((value) => ({ value, label: sizeOf(value) })),
      sizes[0],
    ),
  ],
  body: ({ size }) => ({ settings: { size } }),
  summary: ({ size }) => sizeOf(size),
  replay: () => import("./replay.js"),
};
