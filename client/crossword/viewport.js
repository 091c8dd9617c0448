/**
 * The system's keyboard on a phone. It covers the lower part of the page. Only the browser's visual viewport shows the
 * covered height. While the keyboard is open, the page has data-keyboard, and --keyboard is the covered height. The
 * style sheet then puts the clue above the keyboard.
 */

const LEAST_PX = 120; // a smaller covered part is a browser's bar

/**
 * Set data-scrolled of `page` while the page is scrolled down: then the clue bar is not at its place above the keys.
 * @param {HTMLElement} page
 */
export function followScrolling(page) {
  const follow = () => page.toggleAttribute("data-scrolled", window.scrollY > 0);
  window.addEventListener("scroll", follow, { passive: true });
  follow();
}

/**
 * Set data-keyboard and --keyboard of `page` when the system's keyboard opens or closes.
 * @param {HTMLElement} page
 */
export function followKeyboard(page) {
  const seen = window.visualViewport;
  if (seen === null) return;
  const follow = () => {
    // after a pinch zoom, the viewport is smaller without a keyboard
    const covered = seen.scale > 1.05 ? 0 : window.innerHeight - seen.height - seen.offsetTop;
    const isThere = covered >= LEAST_PX;
    page.style.setProperty("--keyboard", `${isThere ? Math.round(covered) : 0}px`);
    if (isThere === page.hasAttribute("data-keyboard")) return;
    page.toggleAttribute("data-keyboard", isThere);
    if (isThere) document.activeElement?.scrollIntoView({ block: "center" }); // the clue must not cover it
  };
  seen.addEventListener("resize", follow);
  seen.addEventListener("scroll", follow);
  follow();
}
