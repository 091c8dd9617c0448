/**
 * The system's keyboard on a phone: it covers the page from below, and only the visual viewport shows that. While it is
 * open, the page has data-keyboard, and --keyboard is the covered height. The clue is then above the keyboard.
 */

const LEAST_PX = 120; // a smaller covered part is a browser's bar

/**
 * Set these attributes of `page` when the system's keyboard opens or closes.
 * @param {HTMLElement} page
 */
export function followKeyboard(page) {
  const seen = window.visualViewport;
  if (seen === null) return;
  const follow = () => {
    // after a zoom with two fingers, the viewport is smaller for another reason
    const covered = seen.scale > 1.05 ? 0 : window.innerHeight - seen.height - seen.offsetTop;
    const isThere = covered >= LEAST_PX;
    page.style.setProperty("--keyboard", `${isThere ? Math.round(covered) : 0}px`);
    if (isThere === page.hasAttribute("data-keyboard")) return;
    page.toggleAttribute("data-keyboard", isThere);
    if (isThere) document.activeElement?.scrollIntoView({ block: "center" }); // not below the clue
  };
  seen.addEventListener("resize", follow);
  seen.addEventListener("scroll", follow);
  follow();
}
