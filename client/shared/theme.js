/**
 * The theme of the pages: light, dark, or the system's theme. The choice applies to all games.
 *
 * Pages load this module in <head> with blocking="render", so that no page flashes in the wrong theme.
 */

/** @typedef {"system" | "light" | "dark"} Theme */

const KEY = "scramble.theme";
/** @type {Theme[]} */ const THEMES = ["system", "light", "dark"];

/** The switch's picture for each theme. controls.css shows the picture of the chosen theme. */
const PICTURES = `
  <svg class="of-system" viewBox="0 0 24 24" aria-hidden="true">
    <circle cx="12" cy="12" r="8.5" fill="none" stroke="currentColor" stroke-width="2" />
    <path d="M12 3.5a8.5 8.5 0 0 1 0 17z" fill="currentColor" />
  </svg>
  <svg class="of-light" viewBox="0 0 24 24" aria-hidden="true">
    <circle cx="12" cy="12" r="4.5" fill="currentColor" />
    <path
      d="M12 2v3M12 19v3M2 12h3M19 12h3M4.9 4.9l2.1 2.1M17 17l2.1 2.1M4.9 19.1l2.1-2.1M17 7l2.1-2.1"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
    />
  </svg>
  <svg class="of-dark" viewBox="0 0 24 24" aria-hidden="true">
    <path d="M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z" fill="currentColor" />
  </svg>`;

/**
 * The chosen theme: "system", "light" or "dark".
 * @returns {Theme}
 */
export function chosenTheme() {
  const kept = readKept();
  return THEMES.find((theme) => theme === kept) ?? "system";
}

function readKept() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // storage is disabled: the page works without a choice
  }
}

/**
 * Apply a theme and store it.
 * @param {Theme} theme
 */
export function chooseTheme(theme) {
  if (theme === "system") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.setAttribute("data-theme", theme);
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    /* storage is disabled: the theme is applied but not stored */
  }
}

/**
 * Make a `<button class="theme-switch">` cycle through system, light and dark. `words` has the name of each theme.
 * @param {HTMLElement} button
 * @param {Record<string, string>} words
 */
export function setUpThemeSwitch(button, words) {
  button.innerHTML = PICTURES;
  const show = () => {
    const theme = chosenTheme();
    button.dataset.choice = theme;
    button.setAttribute("aria-label", words[theme]);
    button.title = words[theme];
  };
  button.addEventListener("click", () => {
    chooseTheme(THEMES[(THEMES.indexOf(chosenTheme()) + 1) % THEMES.length]);
    show();
  });
  window.addEventListener("storage", (event) => {
    if (event.key !== KEY) return;
    chooseTheme(chosenTheme()); // the user changed the theme in another tab
    show();
  });
  show();
}

if (chosenTheme() !== "system") chooseTheme(chosenTheme());
