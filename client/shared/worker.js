/**
 * The registration of the site's service worker (offline/worker.js), which shows a page when the server does not
 * answer. Browsers have service workers only for pages over HTTPS or from this machine. Other pages work without the
 * worker.
 */

const SCRIPT = new URL("../offline/worker.js", import.meta.url);
const SITE = new URL("../../", import.meta.url);

/** Register the worker, or check the server for a newer version. */
export function setUpWorker() {
  if (!isSecureContext || !("serviceWorker" in navigator)) return;
  const register = () => {
    const options = {
      type: /** @type {const} */ ("module"),
      scope: SITE.href,
      updateViaCache: /** @type {const} */ ("none"),
    };
    navigator.serviceWorker.register(SCRIPT, options).catch(() => {}); // an invalid certificate or an old browser
  };
  if (document.readyState === "complete") register();
  else addEventListener("load", register, { once: true }); // after the page's own files have loaded
}

/** The registration of the worker, or null without a worker. */
export async function workerHere() {
  if (!isSecureContext || !("serviceWorker" in navigator)) return null;
  return (await navigator.serviceWorker.getRegistration(SITE).catch(() => undefined)) ?? null;
}
