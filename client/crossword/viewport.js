/**
 * The system's keyboard, on a phone: it covers the page from below, and only the visual viewport says so. While it is
 * there the page has data-keyboard, and --keyboard is how much of it is covered; the clue then stands above that.
 */

const LEAST_PX = 120; // less is a browser's bar

/**
 * Follow the system's keyboard in these attributes of `page`.
 * @param {HTMLElement} page
 */
export function followKeyboard(page) {
  const seen = window.visualViewport;
  if (seen === null) return;
  const follow = () => {
    // zoomed in by two fingers, the viewport is smaller for another reason
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
