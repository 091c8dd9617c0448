/** Elements without markup in strings, so that text is never parsed as HTML and a strict CSP is possible. */

/** @typedef {string | number | boolean | null | undefined} Value of an attribute */
/** @typedef {Record<string, (event: any) => void>} Listeners by the name of their event */

/**
 * Make an element. `attributes` are set as attributes, except `text` (its text) and `on` (listeners by event name).
 * The values true and false mean present and absent. Children may be nodes, strings, or null for no child.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {{[name: string]: Value | Listeners, on?: Listeners}} attributes
 * @param {(Node | string | null | undefined)[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "object" && value !== null) {
      for (const [event, listener] of Object.entries(value)) made.addEventListener(event, listener);
    } else if (name === "text") made.textContent = String(value ?? "");
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, String(value));
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/**
 * The element with the given id and class. Throw if the page does not have it.
 * @template {HTMLElement} [Kind=HTMLElement]
 * @param {string} id
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
export function byId(id, kind = /** @type {any} */ (HTMLElement)) {
  return within(document, `#${id}`, kind);
}

/**
 * The first element in `parent` that matches the selector, of the given class. Throw if no element matches.
 * @template {HTMLElement} [Kind=HTMLElement]
 * @param {ParentNode} parent
 * @param {string} selector
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
export function within(parent, selector, kind = /** @type {any} */ (HTMLElement)) {
  const found = parent.querySelector(selector);
  if (!(found instanceof kind)) throw new Error(`the page has no ${selector}`);
  return found;
}

/**
 * The innermost element that matches `selector` and contains the target of an event, or null.
 * @param {Event} event
 * @param {string} selector
 * @returns {HTMLElement | null}
 */
export function hit(event, selector) {
  return event.target instanceof Element ? event.target.closest(selector) : null;
}

/**
 * Set an attribute only if its value differs, so that the browser does not compute a new layout without need.
 * @param {Element} target
 * @param {string} name
 * @param {Value} value
 */
export function setAttribute(target, name, value) {
  if (value === null || value === undefined || value === false) {
    if (target.hasAttribute(name)) target.removeAttribute(name);
  } else if (target.getAttribute(name) !== String(value)) target.setAttribute(name, String(value));
}

/**
 * Set an element's text only if the text differs.
 * @param {Element} target
 * @param {string} text
 */
export function setText(target, text) {
  if (target.textContent !== text) target.textContent = text;
}

/**
 * The drawing context of a canvas.
 * @param {HTMLCanvasElement} canvas
 * @param {CanvasRenderingContext2DSettings} settings
 */
export function contextOf(canvas, settings = {}) {
  return /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", settings));
}

/** True if the user prefers no motion. The page reads the setting each time, because it may change during a game. */
export function motionIsReduced() {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}
