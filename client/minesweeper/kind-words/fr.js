/** Words for Minesweeper in the lobby and in the table at the end of a game, in French. */

import { grammar } from "../../shared/grammar.js";

const { count, percent } = grammar("fr");

/** @type {typeof import("./en.js").default} */
const words = {
  title: "Démineur",
  pitch: "Déminez un champ tous ensemble",

  // --- choices ---
  preset: "Champ",
  presets: { beginner: "Facile", intermediate: "Moyen", expert: "Difficile", custom: "Sur mesure" },
  rows: "Lignes",
  columns: "Colonnes",
  bombs: "Bombes",
  bombsOf: (bombs, squares) => `${count(bombs, { one: "bombe", other: "bombes" })}, ${percent(bombs / squares)}`,
  safeStart: "La première case est sûre",
  noGuessing: "Résoluble sans deviner",
  noGuessingHint: "La première case est marquée. Il faut d’abord trouver un tel champ : jusqu’à 10 secondes.",
  ownField: "Mon propre champ",
  ownFieldHint:
    "D’abord colonnes et lignes, par exemple 3 2. Puis une ligne par rangée : 1 pour une bombe, 0 sinon, séparés par des espaces.",

  // --- figures at the end of a game ---
  squares: "Cases",
  flags: "Drapeaux",
  booms: "Boum",
  flawless: "Déminé sans une faute !",
};

export default words;
