/**
 * The page that replaces every page while the server does not answer. It needs no other file, has all languages, and
 * reloads the address when the server answers again.
 */

import de from "./words/de.js";
import en from "./words/en.js";
import es from "./words/es.js";
import fr from "./words/fr.js";

/** @typedef {typeof en} Words */

// The colours are copied from shared/tokens.css, because that file is unavailable.
const STYLE = `
  :root { color-scheme: light dark; }
  :root[data-theme="light"] { color-scheme: light; }
  :root[data-theme="dark"] { color-scheme: dark; }
  * { box-sizing: border-box; margin: 0; }
  body {
    display: grid; place-content: center; justify-items: center; gap: 1rem; min-height: 100dvh; padding: 1.5rem;
    background: light-dark(oklch(96.8% 0.007 85), oklch(19.5% 0.025 278));
    color: light-dark(oklch(25% 0.03 265), oklch(95% 0.012 85));
    font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
    text-align: center;
  }
  svg { width: 4.5rem; height: 4.5rem; }
  main { display: grid; justify-items: center; gap: 0.5rem; }
  h1 { font-size: 1.375rem; line-height: 1.25; text-wrap: balance; }
  p { max-width: 30rem; text-wrap: pretty; }
  button {
    min-height: 2.75rem; padding: 0 1.25rem; border: 1px solid transparent; border-radius: 0.625rem;
    background: light-dark(oklch(45% 0.15 268), oklch(54% 0.19 277));
    color: oklch(99% 0.005 85);
    font: inherit; font-weight: 600; cursor: pointer;
  }
  button:focus-visible { outline: 3px solid light-dark(oklch(50% 0.2 265), oklch(85% 0.13 95)); outline-offset: 2px; }
  #still { min-height: 1.5em; color: light-dark(oklch(46% 0.025 265), oklch(78% 0.022 80)); }`;

const PICTURE = `<svg viewBox="0 0 32 32" aria-hidden="true">
  <g fill="none" stroke="currentColor" stroke-width="1.5" stroke-dasharray="3 2.5">
    <rect x="2.75" y="2.75" width="11.5" height="11.5" rx="3" />
    <rect x="17.75" y="2.75" width="11.5" height="11.5" rx="3" />
    <rect x="2.75" y="17.75" width="11.5" height="11.5" rx="3" />
    <rect x="17.75" y="17.75" width="11.5" height="11.5" rx="3" />
  </g></svg>`;

/**
 * The page as the answer to a request. Each answer has its own CSP nonce for its script and its style.
 * @param {string} scope the address of the site, for checking if the server answers again
 */
export function offlinePage(scope) {
  const nonce = crypto.randomUUID();
  const settings = JSON.stringify({
    probe: new URL("client/offline/worker.js", scope).href,
    words: { en, de, es, fr },
  });
  const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>${en.title}</title>
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <style nonce="${nonce}">${STYLE}</style>
  </head>
  <body>
    ${PICTURE}
    <main>
      <h1></h1>
      <p id="words"></p>
    </main>
    <button type="button" id="again"></button>
    <p id="still" role="status"></p>
    <script nonce="${nonce}">(${wait})(${settings.replaceAll("<", "\\u003c")});</script>
  </body>
</html>
`;
  return new Response(html, {
    status: 503,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-store",
      "Content-Security-Policy": `default-src 'none'; connect-src 'self'; ${["script", "style"]
        .map((part) => `${part}-src 'nonce-${nonce}'`)
        .join("; ")}`,
    },
  });
}

/**
 * The page's script: insert the words, and check if the server answers. The worker sends this function as text, so it
 * must not use other modules.
 * @param {{probe: string, words: {[language: string]: Words}}} settings
 */
function wait({ probe, words }) {
  const FIRST_MS = 2000;
  const LONGEST_MS = 10_000;
  const ANSWER_MS = 8000;

  /** @param {string} key */
  const kept = (key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null; // storage is disabled
    }
  };
  const bases = [kept("scramble.language") ?? "", ...navigator.languages].map((tag) => tag.toLowerCase().split("-")[0]);
  const language = bases.find((base) => Object.hasOwn(words, base)) ?? "en";
  const { title, lost, again, still } = words[language];
  const theme = kept("scramble.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  document.documentElement.lang = language;
  document.title = title;
  /** @type {[id: string, text: string][]} */ const texts = [
    ["h1", title],
    ["#words", lost],
    ["#again", again],
  ];
  for (const [selector, text] of texts) /** @type {Element} */ (document.querySelector(selector)).textContent = text;

  let pause = FIRST_MS;
  /** @type {number | undefined} */ let timer;
  const look = async () => {
    clearTimeout(timer);
    try {
      const answer = await fetch(probe, { method: "HEAD", cache: "no-store", signal: AbortSignal.timeout(ANSWER_MS) });
      if (answer.status < 500) return location.reload();
    } catch {
      /* the server does not answer */
    }
    pause = Math.min(LONGEST_MS, pause * 1.5);
    timer = setTimeout(look, pause * (0.5 + Math.random() / 2)); // so that not all pages retry at once
  };
  document.querySelector("#again")?.addEventListener("click", async () => {
    const told = /** @type {Element} */ (document.querySelector("#still"));
    told.textContent = "";
    await look();
    told.textContent = still;
  });
  addEventListener("online", look);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") look();
  });
  timer = setTimeout(look, FIRST_MS);
}
