/** The rooms that this browser has opened, played in or watched, newest first, in the browser's storage. */

const KEY = "scramble.rooms";
const MOST = 40;
const MOST_NAMES = 100; // stored names of one room; the oldest names are dropped

/** @typedef {"opened" | "played" | "watched"} Role */
/**
 * @typedef {object} MyRoom
 * @property {string} room
 * @property {string} game
 * @property {string} title
 * @property {Role} role
 * @property {number} at time of the visit in ms since 1970
 * @property {Record<string, string> | null} [called] the display names of the room's players, by player
 */

/** @returns {MyRoom[]} */
export function myRooms() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept.filter((one) => typeof one?.room === "string") : [];
  } catch {
    return []; // storage is disabled, or has invalid contents
  }
}

/**
 * Note that this browser is in a room. The role "opened" never changes, and "played" does not change to "watched".
 * @param {{room: string, game: string, title: string, role: Role}} room
 */
export function rememberRoom({ room, game, title, role }) {
  const { role: before, called = {} } = myRooms().find((one) => one.room === room) ?? {};
  const kept = before === "opened" || (before === "played" && role === "watched") ? before : role;
  keep([{ room, game, title, role: kept, at: Date.now(), called }, ...myRooms().filter((one) => one.room !== room)]);
}

/**
 * Note the display names of players in a room that differ from the IDs, because the server's result has only IDs.
 * @param {string} room
 * @param {Record<string, string>} names by player
 */
export function rememberNames(room, names) {
  const rooms = myRooms();
  const mine = rooms.find((one) => one.room === room);
  if (mine === undefined) return;
  const before = mine.called ?? {};
  const others = Object.entries(before).filter(([player]) => !Object.hasOwn(names, player));
  const kept = [...others, ...Object.entries(names)].slice(-MOST_NAMES); // the present players are last
  if (kept.length === Object.keys(before).length && kept.every(([player, name]) => before[player] === name)) return;
  mine.called = Object.fromEntries(kept);
  keep(rooms);
}

/** @param {string} room */
export function forgetRoom(room) {
  keep(myRooms().filter((one) => one.room !== room));
}

/** @param {MyRoom[]} rooms */
function keep(rooms) {
  try {
    localStorage.setItem(KEY, JSON.stringify(rooms.slice(0, MOST)));
  } catch {
    /* storage is disabled: the lobby's list stays empty */
  }
}

/**
 * Call `onChange()` when another tab of this browser has changed the list.
 * @param {() => void} onChange
 */
export function followMyRooms(onChange) {
  window.addEventListener("storage", ({ key }) => {
    if (key === KEY) onChange();
  });
}
