/** The rooms that this browser has opened, played or watched, newest first; kept in its storage. */

const KEY = "scramble.rooms";
const MOST = 40;

/** @typedef {"opened" | "played" | "watched"} Role */
/** @typedef {{room: string, game: string, title: string, role: Role, at: number}} MyRoom `at` in ms since 1970 */

/** @returns {MyRoom[]} */
export function myRooms() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept.filter((one) => typeof one?.room === "string") : [];
  } catch {
    return []; // storage is switched off, or something else wrote there
  }
}

/**
 * Note that this browser is in a room. Who has opened it stays its opener, and who has played there a player.
 * @param {{room: string, game: string, title: string, role: Role}} room
 */
export function rememberRoom({ room, game, title, role }) {
  const before = myRooms().find((one) => one.room === room)?.role;
  const kept = before === "opened" || (before === "played" && role === "watched") ? before : role;
  keep([{ room, game, title, role: kept, at: Date.now() }, ...myRooms().filter((one) => one.room !== room)]);
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
    /* storage is switched off: the lobby's list stays empty */
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
