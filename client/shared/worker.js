/**
 * The site's service worker (offline/worker.js), which says so when the server is not there. Browsers have service
 * workers only where the page comes over HTTPS or from this machine; elsewhere there is none, and nothing is amiss.
 */

const SCRIPT = new URL("../offline/worker.js", import.meta.url);
const SITE = new URL("../../", import.meta.url);

/** Register the worker, or look whether the server has another one. */
export function setUpWorker() {
  if (!isSecureContext || !("serviceWorker" in navigator)) return;
  const register = () => {
    const options = {
      type: /** @type {const} */ ("module"),
      scope: SITE.href,
      updateViaCache: /** @type {const} */ ("none"),
    };
    navigator.serviceWorker.register(SCRIPT, options).catch(() => {}); // an odd certificate, or an old browser
  };
  if (document.readyState === "complete") register();
  else addEventListener("load", register, { once: true }); // after all that the page needs
}

/** The registration of the worker; null where there is none. */
export async function workerHere() {
  if (!isSecureContext || !("serviceWorker" in navigator)) return null;
  return (await navigator.serviceWorker.getRegistration(SITE).catch(() => undefined)) ?? null;
}
