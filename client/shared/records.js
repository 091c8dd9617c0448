/**
 * The results of this browser's games, in the browser's storage, and the statistics of them.
 *
 * The storage has one entry for each game in a room. All statistics are computed from the entries. So a game counts
 * once, and a second import of the same file changes nothing.
 */

const KEY = "scramble.records";
const VERSION = 1;
const MOST = 1000; // stored games, about 150 kB. The oldest games without a best value are dropped
const MOST_IMPORTED = 5000;
const LONGEST = 100; // characters of a text
const OUTCOMES = ["won", "lost", "draw", "solo"];
const MEASURES = /** @type {const} */ (["seconds", "turns", "score"]);

/** @typedef {"won" | "lost" | "draw" | "solo"} Outcome */
/** @typedef {typeof MEASURES[number]} Measure seconds and turns: the smallest is the best. score: the largest */
/** @typedef {{[measure in Measure]?: number}} Values */
/**
 * @typedef {object} Played a game that is over
 * @property {string} room
 * @property {string} game
 * @property {string} board only games on equal boards have comparable values
 * @property {Outcome} outcome
 * @property {number} at the end in ms since 1970
 * @property {Values} values
 */
/** @typedef {{games: number, won: number, lost: number, draw: number, streak: number, longest: number}} Statistics */

/** @returns {Played[]} the games of this browser, the oldest first */
export function played() {
  try {
    return parsed(localStorage.getItem(KEY) ?? "") ?? [];
  } catch {
    return []; // storage is disabled
  }
}

/**
 * Note a game once: again only with more values. An invalid game is not noted, so a mistake in a kind of game does not
 * harm the records of others. Return the other games on the same board.
 * @param {Played} one
 * @returns {Played[]}
 */
export function noteGame(one) {
  const before = played();
  const isSame = (/** @type {Played} */ other) => keyOf(other) === keyOf(one);
  const noted = before.find(isSame);
  const isNew = noted === undefined || Object.keys(noted.values).length < Object.keys(one.values).length;
  if (isNew && isPlayed(one)) keep(merged([...before.filter((other) => !isSame(other)), one], []));
  return before.filter((other) => !isSame(other) && other.game === one.game && other.board === one.board);
}

/** The text of a file with all games. */
export const exported = () => textOf(played());

/**
 * Add the games of a file. Return the number of added games, or null if the file is wrong: then nothing changes. Throw
 * if the storage is full or disabled.
 * @param {string} text
 * @returns {number | null}
 */
export function imported(text) {
  const others = parsed(text);
  if (others === null) return null;
  const before = played();
  const known = new Set(before.map(keyOf));
  const all = merged(before, others);
  localStorage.setItem(KEY, textOf(all));
  return all.filter((one) => !known.has(keyOf(one))).length;
}

/**
 * The statistics of a game, from its results in the order of time. A game alone changes no streak.
 * @param {Played[]} games
 * @returns {Statistics}
 */
export function statisticsOf(games) {
  const all = { games: games.length, won: 0, lost: 0, draw: 0, streak: 0, longest: 0 };
  for (const { outcome } of games) {
    if (outcome === "solo") continue;
    all[outcome] += 1;
    all.streak = outcome === "won" ? all.streak + 1 : 0;
    all.longest = Math.max(all.longest, all.streak);
  }
  return all;
}

/**
 * The best values of several games on one board.
 * @param {Values[]} all
 * @returns {Values}
 */
export function bestOf(all) {
  /** @type {Values} */ const best = {};
  for (const values of all) {
    for (const measure of MEASURES) {
      const value = values[measure];
      if (value !== undefined && isBetter(measure, value, best[measure])) best[measure] = value;
    }
  }
  return best;
}

/**
 * The measures with a value that is better than each earlier value. The first game on a board has no such measure.
 * @param {Values} values
 * @param {Played[]} before
 * @returns {Measure[]}
 */
export function newBests(values, before) {
  const best = bestOf(before.map((one) => one.values));
  return MEASURES.filter((measure) => {
    const value = values[measure];
    return value !== undefined && best[measure] !== undefined && isBetter(measure, value, best[measure]);
  });
}

/**
 * @param {Measure} measure
 * @param {number} value
 * @param {number | undefined} other
 */
function isBetter(measure, value, other) {
  return other === undefined || (measure === "score" ? value > other : value < other);
}

/** @param {Played} played */
const keyOf = ({ room, game }) => `${game} ${room}`;

/** @param {Played} played */
const boardOf = ({ game, board }) => `${game} ${board}`;

/**
 * All games, each once, the oldest first. Above the limit, the oldest games without a best value are missing.
 * @param {Played[]} games
 * @param {Played[]} others
 */
function merged(games, others) {
  const known = new Map([...others, ...games].map((one) => [keyOf(one), one]));
  const all = [...known.values()].sort((one, other) => one.at - other.at || (keyOf(one) < keyOf(other) ? -1 : 1));
  if (all.length <= MOST) return all;
  /** @type {Map<string, Played>} */ const holders = new Map();
  for (const one of all) {
    for (const measure of MEASURES) {
      const value = one.values[measure];
      const place = `${measure} ${boardOf(one)}`;
      if (value !== undefined && isBetter(measure, value, holders.get(place)?.values[measure])) holders.set(place, one);
    }
  }
  const best = new Set(holders.values());
  let extra = all.length - MOST;
  return all.filter((one) => best.has(one) || extra-- <= 0).slice(-MOST);
}

/** @param {Played[]} games */
const textOf = (games) => JSON.stringify({ version: VERSION, games });

/** @param {Played[]} games */
function keep(games) {
  try {
    localStorage.setItem(KEY, textOf(games));
  } catch {
    /* storage is disabled or full: the games stay as they are */
  }
}

/**
 * The games of a text, or null if the text is not a list of games.
 * @param {string} text
 * @returns {Played[] | null}
 */
function parsed(text) {
  try {
    const { version, games } = JSON.parse(text);
    if (version !== VERSION || !Array.isArray(games) || games.length > MOST_IMPORTED) return null;
    return games.every(isPlayed) ? games.map(plain) : null;
  } catch {
    return null; // not JSON
  }
}

/**
 * A game without unknown fields.
 * @param {Played} played
 * @returns {Played}
 */
const plain = ({ room, game, board, outcome, at, values }) => ({
  room,
  game,
  board,
  outcome,
  at,
  values: Object.fromEntries(Object.entries(values).filter(([name]) => MEASURES.some((measure) => measure === name))),
});

/** @param {any} one */
function isPlayed(one) {
  const isText = (/** @type {unknown} */ text) => typeof text === "string" && text.length <= LONGEST;
  return (
    [one?.room, one?.game, one?.board].every(isText) &&
    OUTCOMES.includes(one.outcome) &&
    Number.isFinite(one.at) &&
    typeof one.values === "object" &&
    one.values !== null &&
    Object.values(one.values).every((value) => Number.isFinite(value))
  );
}
