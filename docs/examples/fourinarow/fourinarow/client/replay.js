/** The replay's sentences for Four in a row, by the codes of the events. The replay page itself shows the discs. */

import { teller } from "../replay/telling.js";
import { pick } from "../shared/language.js";

/** @typedef {{player: string, column: number}} Move */

export const tell = teller(
  pick({
    en: {
      dropped: (/** @type {Move} */ { player, column }) => `${player} drops a disc into column ${column}`,
      won: (/** @type {Move} */ { player, column }) => `${player} drops a disc into column ${column}, and wins`,
      waits: (/** @type {Move} */ { player, column }) => `${player} waits to drop a disc into column ${column}`,
      "waits-no-more": (/** @type {Move} */ { player }) => `${player} no longer waits`,
    },
    de: {
      dropped: ({ player, column }) => `${player} wirft einen Stein in Spalte ${column}`,
      won: ({ player, column }) => `${player} wirft einen Stein in Spalte ${column} und gewinnt`,
      waits: ({ player, column }) => `${player} wartet mit einem Stein über Spalte ${column}`,
      "waits-no-more": ({ player }) => `${player} wartet nicht mehr`,
    },
    es: {
      dropped: ({ player, column }) => `${player} deja caer una ficha en la columna ${column}`,
      won: ({ player, column }) => `${player} deja caer una ficha en la columna ${column} y gana`,
      waits: ({ player, column }) => `${player} espera con una ficha sobre la columna ${column}`,
      "waits-no-more": ({ player }) => `${player} ya no espera`,
    },
    fr: {
      dropped: ({ player, column }) => `${player} lâche un jeton dans la colonne ${column}`,
      won: ({ player, column }) => `${player} lâche un jeton dans la colonne ${column} et gagne`,
      waits: ({ player, column }) => `${player} attend avec un jeton au-dessus de la colonne ${column}`,
      "waits-no-more": ({ player }) => `${player} n’attend plus`,
    },
  }),
);
