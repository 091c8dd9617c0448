/** The words of the page for a server that is not there, in German. */

/** @type {typeof import("./en.js").default} */
const words = {
  title: "Der Server ist nicht da",
  lost:
    "Unter dieser Adresse antwortet niemand: Der Server wurde vielleicht angehalten, oder dieses Gerät hat kein Netz. " +
    "Diese Seite sieht von selbst wieder nach und macht weiter, sobald der Server zurück ist.",
  again: "Noch einmal versuchen",
  still: "Immer noch keine Antwort.",
};

export default words;
