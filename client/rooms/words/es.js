/** The words of the page for a room that cannot be entered, in Spanish. */

/** @type {typeof import("./en.js").default} */
const words = {
  titles: {
    "no-such-page": "Aquí no hay nada",
    "no-replay": "No hay repetición",
    "no-replay-yet": "La repetición llegará después",
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
  refusals: {
    "no-such-page": () => "Quizá el enlace esté cortado o mal escrito. Desde aquí se llega a todas las partidas.",
    "no-such-room": () => "Quizá el enlace esté cortado o mal escrito: pídelo otra vez. O empieza tu propia partida.",
    "no-replay": () => "Esta partida no se guarda en ningún sitio.",
    "no-replay-yet": () => "Muestra las cartas, así que estará aquí cuando la partida haya terminado.",
  },
  otherwise: "No se puede entrar en esta partida",
  toNext: "A su próxima partida",
  toAll: "A todas las partidas",
};

export default words;
