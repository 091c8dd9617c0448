/** The words of the page for a server that is not there, in Spanish. */

/** @type {typeof import("./en.js").default} */
const words = {
  title: "El servidor no está disponible",
  lost:
    "Nadie responde en esta dirección: puede que el servidor se haya detenido o que este dispositivo no tenga red. " +
    "Esta página vuelve a mirar por sí sola y continúa en cuanto el servidor regrese.",
  again: "Reintentar",
  still: "Sigue sin haber respuesta.",
};

export default words;
