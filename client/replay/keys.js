/** The keys of the page, wherever the focus is; but for what has keys of its own. */

/** Returns the listener for `keydown` that calls these: `toggle()`, `go(seq)`, `by(moves)`, `leap(sign)`, `end()`, `heat()`. */
export function actions({ toggle, go, by, leap, end, heat }) {
  const keys = {
    ArrowLeft: () => by(-1),
    ArrowRight: () => by(1),
    PageUp: () => leap(-1),
    PageDown: () => leap(1),
    Home: () => go(0),
    End: () => go(end()),
    h: heat,
    H: heat,
  };
  return (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("select, input:not([type=range]), textarea") !== null) return;
    if (event.key === " ") {
      if (event.target.closest("button, a, summary") !== null) return; // that is what it presses
      event.preventDefault();
      toggle();
    } else if (keys[event.key] !== undefined) {
      event.preventDefault();
      keys[event.key]();
    }
  };
}
