/**
 * Calls for a user who looks at another tab or window. A call changes the tab's title and icon, and marks the icon of
 * an installed app. A call also shows a notification if the user has enabled notifications and the browser supports
 * them (over HTTPS, or from this machine). All signs disappear when the page becomes visible.
 */

import { element, setText } from "./dom.js";
import { SHARED } from "./words.js";
import { workerHere } from "./worker.js";

const KEY = "scramble.notify";
const CALLED = "scramble.called"; // key in sessionStorage for the words of a call, for the page of the next room
const TAG = "scramble "; // prefix of a notification's tag: a page has one notification at a time

/** @typedef {{words: string, title: string, icon: string}} Call `title` and `icon` are the tab's normal ones */
/** @type {Call | null} */ let now = null;

/** @param {Call} call */
const titleOf = ({ words, title }) => `● ${words} – ${title}`;

/**
 * Attract the user's attention if the page is not visible. `to` is the next address if the page is about to go to
 * another address.
 * @param {string} words
 * @param {{to?: string}} options
 */
export function call(words, { to } = {}) {
  if (document.visibilityState === "visible") return;
  sign(words);
  if (to !== undefined) keep(() => sessionStorage.setItem(CALLED, words));
  void notify(words, to ?? location.href);
}

/** @param {string} words */
function sign(words) {
  retitled();
  const icon = document.querySelector("link[rel=icon]");
  now = { title: document.title, icon: icon?.getAttribute("href") ?? "", ...now, words };
  document.title = titleOf(now);
  icon?.setAttribute("href", now.icon.replace("icon.svg", "icon-sign.svg"));
  if ("setAppBadge" in navigator) navigator.setAppBadge().catch(() => {}); // only an installed app has a badge
}

/** Handle a change of the page's title, for example to another state: put the sign before the new title. */
function retitled() {
  if (now === null || document.title === titleOf(now)) return;
  now.title = document.title;
  document.title = titleOf(now);
}

/** Handle a visible page: remove all signs. */
function seen() {
  if (now !== null) {
    const { title, icon } = now;
    now = null;
    document.title = title;
    document.querySelector("link[rel=icon]")?.setAttribute("href", icon);
    if ("clearAppBadge" in navigator) navigator.clearAppBadge().catch(() => {});
  }
  void closeNotification();
}

// --- notifications ---

/** @type {Notification | null} */ let own = null; // the notification of a page without a service worker

/** @param {string} address */
const tagOf = (address) => TAG + new URL(address).pathname;

/** True if this browser supports notifications for this page. */
const areThere = () => isSecureContext && typeof Notification !== "undefined";

/** True if the user has enabled notifications, and the browser allows them. */
const areOn = () =>
  areThere() && Notification.permission === "granted" && keep(() => localStorage.getItem(KEY)) === "on";

/**
 * @param {string} words
 * @param {string} address
 */
async function notify(words, address) {
  if (!areOn()) return;
  const icon = new URL((now?.icon ?? "").replace("icon.svg", "icon-192.png"), document.baseURI).href;
  const options = { body: words, tag: tagOf(address), icon, data: { url: address } };
  const title = now?.title ?? document.title;
  const worker = await workerHere();
  try {
    if (worker?.active) await worker.showNotification(title, options);
    else {
      own = new Notification(title, options); // phones have only a worker's notifications
      own.addEventListener("click", () => window.focus());
    }
  } catch {
    /* the system has no notifications: the title has the sign */
  }
  if (document.visibilityState === "visible") seen(); // the page has become visible in the meantime
}

async function closeNotification() {
  own?.close();
  own = null;
  if (!areOn()) return;
  const worker = await workerHere();
  for (const shown of (await worker?.getNotifications({ tag: tagOf(location.href) })) ?? []) shown.close();
}

/**
 * A switch for notifications, which are off by default. Null if the browser has no notifications.
 * @returns {HTMLElement | null}
 */
export function attentionSwitch() {
  if (!areThere()) return null;
  const input = element("input", { type: "checkbox", checked: areOn() });
  const problem = element("p", { class: "hint", role: "status" });
  input.addEventListener("change", async () => {
    const wished = input.checked;
    const allowed = wished && (await Notification.requestPermission()) === "granted";
    keep(() => localStorage.setItem(KEY, allowed ? "on" : "off"));
    input.checked = allowed;
    setText(problem, wished && !allowed ? SHARED.notifyDenied : "");
  });
  const label = element("label", { class: "setting" }, input, element("span", { text: SHARED.notify }));
  return element("div", { class: "settings" }, label, problem);
}

/**
 * The result of `use()`, which accesses storage, or null if storage is disabled.
 * @template Kept
 * @param {() => Kept} use
 * @returns {Kept | null}
 */
function keep(use) {
  try {
    return use();
  } catch {
    return null;
  }
}

document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") seen();
});

const title = document.querySelector("title");
if (title !== null)
  new MutationObserver(retitled).observe(title, { childList: true, subtree: true, characterData: true });

const called = keep(() => sessionStorage.getItem(CALLED));
keep(() => sessionStorage.removeItem(CALLED));
if (document.visibilityState === "visible") void closeNotification();
else if (called !== null) sign(called);
