/** The words of the page for a server that is not there, in French. */

/** @type {typeof import("./en.js").default} */
const words = {
  title: "Le serveur n’est pas là",
  lost:
    "Personne ne répond à cette adresse : le serveur a peut-être été arrêté, ou cet appareil n’a pas de réseau. " +
    "Cette page vérifie d’elle-même et reprend dès que le serveur est de retour.",
  again: "Réessayer",
  still: "Toujours pas de réponse.",
};

export default words;
