/** The words of the page for a room that cannot be entered, in Spanish. */

/** @type {typeof import("./en.js").default} */
const words = {
  titles: {
    "no-such-room": "Esta partida no existe",
    "room-lost": "Quizá esta partida se haya perdido",
    "room-removed": "Esta partida terminó y ya no está",
    "room-closed": "Esta partida se cerró",
    "room-broken": "Esta partida ha fallado",
    "memory-full": "Este servidor está lleno",
    "awake-full": "Este servidor está lleno",
    "room-damaged": "Esta partida no se puede abrir",
    moved: "Un momento",
    stopped: "Esta partida se ha detenido",
    closed: "El servidor se está deteniendo",
  },
  otherwise: "No se puede entrar en esta partida",
  toNext: "A su próxima partida",
  toAll: "A todas las partidas",
};

export default words;
