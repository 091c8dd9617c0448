/**
 * The service worker: if the server of this site does not answer, the worker shows the offline page. The worker stores
 * nothing and answers no other requests: pages, scripts and games always come from the server. The offline page
 * consists of this script and its imports. When a page of the site opens, the browser compares these files with the
 * server's files. A click on a notification (shared/attention.js) shows the tab that sent the notification.
 */

import { offlinePage } from "./page.js";

/** The paths of pages. The other addresses are for programs. */
const PAGE = /^(g\/[^/]+(\/(screen|replay)?)?|c\/[^/]+|replay)?$/;
const NO_SERVER = new Set([502, 504]); // a proxy's status when the server behind it does not answer

/**
 * @typedef {object} Lasting an event that keeps the worker alive
 * @property {(work: Promise<unknown>) => void} waitUntil
 */
/** @typedef {Lasting & {notification: {close: () => void, data: {url: string}}}} Clicking */
/** @typedef {Event & Lasting & {request: Request, respondWith: (answer: Promise<Response>) => void}} Fetching */
/**
 * @typedef {object} Worker the global object of a service worker: the parts that a page's global object lacks
 * @property {{scope: string}} registration
 * @property {() => Promise<void>} skipWaiting
 * @property {{claim: () => Promise<void>, matchAll: (which: object) => Promise<Tab[]>, openWindow: (url: string) =>
 * Promise<unknown>}} clients
 * @property {(type: string, listener: (event: any) => void) => void} addEventListener
 */
/** @typedef {{url: string, focus: () => Promise<unknown>}} Tab */

const worker = /** @type {Worker} */ (/** @type {unknown} */ (self));

worker.addEventListener("install", () => worker.skipWaiting());

worker.addEventListener("activate", (/** @type {Lasting} */ event) => event.waitUntil(worker.clients.claim()));

worker.addEventListener("fetch", (/** @type {Fetching} */ event) => {
  const { mode, method, url } = event.request;
  const path = new URL(url).pathname.slice(new URL(worker.registration.scope).pathname.length);
  if (mode === "navigate" && method === "GET" && PAGE.test(path)) event.respondWith(show(event.request));
});

worker.addEventListener("notificationclick", (/** @type {Clicking} */ event) => {
  event.notification.close();
  event.waitUntil(reach(event.notification.data.url));
});

/**
 * Show the tab with this address, or open a new tab.
 * @param {string} address
 */
async function reach(address) {
  const tabs = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  const tab = tabs.find(({ url }) => new URL(url).pathname === new URL(address).pathname);
  await (tab === undefined ? worker.clients.openWindow(address) : tab.focus());
}

/** @param {Request} request */
async function show(request) {
  try {
    const answer = await fetch(request);
    return NO_SERVER.has(answer.status) ? offlinePage(worker.registration.scope) : answer;
  } catch {
    return offlinePage(worker.registration.scope);
  }
}
