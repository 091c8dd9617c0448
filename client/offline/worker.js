/**
 * The service worker: when a page of this site cannot be had, because its server is not there, it shows one that says
 * so. It stores nothing, and answers nothing else: pages, scripts and games always come from the server. The page is
 * made of this script and its imports, which the browser compares with the server's whenever a page of the site is
 * opened. And it brings a person who clicks a notification (shared/attention.js) to the tab that called.
 */

import { offlinePage } from "./page.js";

const PAGE = /^(g\/[^/]+(\/(screen|replay)?)?|replay)?$/; // below the site; other addresses are for programs
const NO_SERVER = new Set([502, 504]); // what a proxy says when there is none behind it

/**
 * @typedef {object} Lasting an event during which the worker is kept alive
 * @property {(work: Promise<unknown>) => void} waitUntil
 */
/** @typedef {Lasting & {notification: {close: () => void, data: {url: string}}}} Clicking */
/** @typedef {Event & Lasting & {request: Request, respondWith: (answer: Promise<Response>) => void}} Fetching */
/**
 * @typedef {object} Worker what the script of a service worker has, and a page has not
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
 * Show the tab with that address, or open one.
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
