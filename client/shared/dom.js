/** Building elements without markup in strings: text is always text, and a strict CSP has nothing to object to. */

/**
 * Makes an element. `attributes` are set as attributes, but for `text` (its text), `on` (listeners by event name) and
 * true/false (present or absent). Children may be nodes, strings, or null for none.
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") made.textContent = value;
    else if (name === "on") for (const [event, listener] of Object.entries(value)) made.addEventListener(event, listener);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** The element with that id; a page without it is broken, and says so at once. */
export function byId(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found;
}

/** Sets an attribute only if it differs, so that nothing is laid out anew for no change. */
export function setAttribute(target, name, value) {
  if (value === null || value === undefined || value === false) {
    if (target.hasAttribute(name)) target.removeAttribute(name);
  } else if (target.getAttribute(name) !== String(value)) target.setAttribute(name, value);
}

/** Sets an element's text only if it differs. */
export function setText(target, text) {
  if (target.textContent !== text) target.textContent = text;
}

/** Whether the user has asked for no motion; asked anew each time, because the setting may change while one plays. */
export function motionIsReduced() {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** "1 pair", "2 pairs". */
export function counted(number, singular, plural = `${singular}s`) {
  return `${number} ${number === 1 ? singular : plural}`;
}
