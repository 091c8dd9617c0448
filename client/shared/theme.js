/**
 * Light, dark, or as the system has it; the choice is kept for all three games.
 *
 * Loaded in <head> with blocking="render", so that no page flashes in the wrong theme.
 */

const KEY = "scramble.theme";
const THEMES = ["system", "light", "dark"];

/** What was chosen: "system", "light" or "dark". */
export function chosenTheme() {
  const kept = readKept();
  return THEMES.includes(kept) ? kept : "system";
}

function readKept() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // storage is switched off: the page works without
  }
}

/** Applies a theme and keeps it. */
export function chooseTheme(theme) {
  if (theme === "system") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.setAttribute("data-theme", theme);
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    /* not kept, but applied */
  }
}

/** Makes a `<button class="theme-switch">` go round system, light and dark, and tell which one it is. */
export function setUpThemeSwitch(button) {
  const show = () => {
    const theme = chosenTheme();
    button.dataset.choice = theme;
    button.setAttribute("aria-label", `Theme: ${theme}`);
    button.title = `Theme: ${theme}`;
  };
  button.addEventListener("click", () => {
    chooseTheme(THEMES[(THEMES.indexOf(chosenTheme()) + 1) % THEMES.length]);
    show();
  });
  window.addEventListener("storage", (event) => {
    if (event.key !== KEY) return;
    chooseTheme(chosenTheme()); // chosen in another tab
    show();
  });
  show();
}

if (chosenTheme() !== "system") chooseTheme(chosenTheme());
