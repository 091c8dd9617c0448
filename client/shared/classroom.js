/** A class (docs/reference/classes.md): requests to the server, and following its changes. */

import { ask, Refused } from "./rooms.js";

const RETRY_MS = 3000; // pause after a request that failed
const LAST_TABLE = "scramble.table"; // the table to which this tab went last

/**
 * @typedef {object} PupilInfo a pupil, with the sums of the ended games
 * @property {string} name
 * @property {number} points
 * @property {number} wins
 * @property {number} games
 * @property {boolean} gone true if the pupil has left
 */
/** @typedef {{room: string, over: boolean, pupils: number[]}} TableInfo a room of the current round */
/**
 * @typedef {object} ClassInfo a class. The number of a pupil is the position in `pupils`
 * @property {string} classroom
 * @property {string} game
 * @property {string} title
 * @property {number} version
 * @property {number} people the maximum number of pupils at a table
 * @property {number} round 0 before the first round
 * @property {boolean} over
 * @property {boolean} teacher true if this browser has opened the class
 * @property {number | null} me the pupil of this browser
 * @property {PupilInfo[]} pupils
 * @property {number[]} waiting
 * @property {TableInfo[]} tables
 * @property {string[]} links
 */

export class Classroom {
  #root;
  #name;

  /**
   * @param {string} root the address of the lobby
   * @param {string} name
   */
  constructor(root, name) {
    this.#root = root;
    this.#name = name;
  }

  /** The address of the page of this class. */
  get address() {
    return `${this.#root}c/${this.#name}`;
  }

  /**
   * Ask the server for an act, and return its answer. Throw Refused if the server refuses.
   * @param {"join" | "leave" | "round" | "end"} act
   * @param {object} values
   */
  act(act, values = {}) {
    const body = JSON.stringify(values);
    return ask(`classes/${this.#name}/${act}`, { base: this.#root, method: "POST", body });
  }

  /**
   * Call `show(info)` now and after each change of the class. Call `fail(refused)` after a request that failed, and ask
   * again later. End if there is no such class, or after its last game.
   * @param {(info: ClassInfo) => void} show
   * @param {(refused: Refused) => void} fail
   */
  async follow(show, fail = () => {}) {
    let query = "";
    for (;;) {
      try {
        /** @type {ClassInfo} */
        const info = await ask(`classes/${this.#name}${query}`, { base: this.#root });
        show(info);
        if (info.over && info.tables.every((table) => table.over)) return;
        query = `?after=${info.version}`;
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        fail(error);
        if (error.status === 404) return;
        await new Promise((done) => setTimeout(done, RETRY_MS));
      }
    }
  }
}

/**
 * The room where this browser's pupil plays now, or null.
 * @param {ClassInfo} info
 */
export function roomOf({ me, tables }) {
  return tables.find((table) => !table.over && me !== null && table.pupils.includes(me))?.room ?? null;
}

/**
 * On the page of a table: go to the pupil's next table when the next round begins.
 * @param {{lobby: string, name: string, mode: string, moveTo: (room: string) => void}} room
 * @param {string} name of the class
 */
export function followTables(room, name) {
  return new Classroom(room.lobby, name).follow((info) => {
    const next = roomOf(info);
    if (next === null || next === room.name || room.mode !== "play") return;
    rememberTable(next);
    room.moveTo(next);
  });
}

/** The table to which this tab went last, or null. */
export function lastTable() {
  try {
    return sessionStorage.getItem(LAST_TABLE);
  } catch {
    return null; // storage is disabled
  }
}

/** @param {string} room */
export function rememberTable(room) {
  try {
    sessionStorage.setItem(LAST_TABLE, room);
  } catch {
    /* storage is disabled: the page of the class goes to the table again when the user comes back */
  }
}
