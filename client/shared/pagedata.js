/**
 * Data that the server has put into the HTML of this page: answers to the first requests of the page, and icons. Pages
 * without data send the requests.
 */

/** @type {Map<string, Map<string, any>>} */
const read = new Map(); // by the ID of the element

/**
 * The answer to a GET request, or null. Each answer is for one use, because it becomes out of date.
 * @param {string} path relative to the page, as in the request
 * @returns {any}
 */
export function takeAnswer(path) {
  const answer = dataOf("answers").get(path) ?? null;
  dataOf("answers").delete(path);
  return answer;
}

/**
 * The address of a game's icon, as a data URL if the page has the icon.
 * @param {string} game
 */
export const iconOf = (game) => dataOf("icons").get(game) ?? `client/${game}/icon.svg`;

/** @param {string} id */
function dataOf(id) {
  const data = read.get(id) ?? new Map(Object.entries(JSON.parse(document.getElementById(id)?.textContent ?? "{}")));
  read.set(id, data);
  return data;
}
