/**
 * Initials for badges: two letters of a name. If another player already has these initials, the badge gets different
 * initials.
 *
 * A player keeps the initials until the page is closed.
 */

const MOST_NUMBERED = 9;

/** @type {Map<string, {name: string, initials: string}>} */
const known = new Map(); // by player

/** @param {string} initials */
const folded = (initials) => initials.toLocaleLowerCase();

/**
 * The initials of a player with this name. The initials are unique, unless very many players have the same letters.
 * @param {string} player
 * @param {string} name
 */
export function initialsAmong(player, name) {
  const before = known.get(player);
  if (before?.name === name) return before.initials;
  known.delete(player);
  const taken = new Set([...known.values()].map(({ initials }) => folded(initials)));
  const plain = lettersOf(name);
  const initials = [plain, ...othersOf(name)].find((one) => !taken.has(folded(one))) ?? plain;
  known.set(player, { name, initials });
  return initials;
}

/**
 * Alternative initials, the best first: the first letter with another letter of the name, then the first letter with a
 * number.
 * @param {string} name
 */
function othersOf(name) {
  const [first, ...rest] = graphemes(name.toLocaleUpperCase());
  if (first === undefined) return [];
  const isNarrow = /^[\u0020-\u04ff]$/.test(first); // a wide character fills a badge alone
  const letters = isNarrow ? rest.filter((letter) => /^[\p{L}]$/u.test(letter)) : [];
  const numbers = Array.from({ length: MOST_NUMBERED - 1 }, (_, nth) => String(nth + 2));
  return [...letters.map((letter) => first + letter.toLocaleLowerCase()), ...numbers.map((number) => first + number)];
}

/**
 * Two letters for a badge: "quiet_otter" is QO, "alice" is Al, "x" is X, "李小龙" is 李.
 * @param {string} name
 */
export function lettersOf(name) {
  /** @type {string[]} */
  const parts = name.match(/[A-Z]?[a-z]+|[A-Z]+|[0-9]+/g) ?? [];
  const isPlain = /^[\w ]*$/.test(name);
  if (isPlain && parts.length > 1) return (parts[0][0] + parts[1][0]).toUpperCase();
  const [word = name] = parts;
  if (isPlain) return word[0].toUpperCase() + word.slice(1, 2);
  const words = name.split(/[\s_]+/).filter((word) => word !== "");
  const [first, second] = words.map((word) => graphemes(word)[0].toLocaleUpperCase());
  // One wide character, for example Chinese or an emoji, fills a badge.
  return second === undefined || /[\u1100-\uffff]/.test(first + second) ? (first ?? name) : first + second;
}

/**
 * The characters of a text as people count them, with their marks.
 * @param {string} text
 */
function graphemes(text) {
  return [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
}
