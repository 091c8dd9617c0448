/**
 * Recovery from lost files of a page. A page is hidden until it has its words, so a page that has lost a module would
 * stay empty.
 *
 * Each page loads this script before its other files, and not as a module, so that this script gets their errors. It
 * requests a style sheet again. It reloads a page that has no words because of a lost module. If the reloaded page has
 * no words either, the page shows the message in its element `.incomplete`.
 */

addEventListener(
  "error",
  ({ target }) => {
    const isScript = target === window || target instanceof HTMLScriptElement;
    if (!isScript && !(target instanceof HTMLLinkElement)) return;
    const RETRY_MS = 2000;
    const root = document.documentElement;

    const showMessage = async () => {
      root.setAttribute("data-incomplete", "");
      const message = document.querySelector(".incomplete");
      message?.querySelector("a")?.addEventListener("click", (event) => {
        event.preventDefault(); // href="" would lose the fragment of the address
        location.reload();
      });
      const [{ language }, { SHARED }] = await Promise.all([import("./language.js"), import("./words.js")]);
      message?.setAttribute("lang", language);
      for (const place of message?.querySelectorAll("[data-words]") ?? [])
        place.textContent = SHARED[/** @type {"incomplete" | "reload"} */ (place.getAttribute("data-words"))];
    };

    const recover = () => {
      if (target instanceof HTMLLinkElement) {
        if (target.hasAttribute("data-again")) return;
        const again = /** @type {HTMLLinkElement} */ (target.cloneNode());
        again.setAttribute("data-again", "");
        target.replaceWith(again);
      } else if (root.hasAttribute("data-wording") && !root.hasAttribute("data-incomplete")) {
        const [visit] = performance.getEntriesByType("navigation");
        if (/** @type {PerformanceNavigationTiming} */ (visit).type !== "reload") location.reload();
        else showMessage().catch(() => {}); // without a catalogue the message is in English
      }
    };

    setTimeout(recover, RETRY_MS * (0.5 + Math.random() / 2)); // so that not all pages retry at once
  },
  true, // the error of a file is an event of its element only
);
