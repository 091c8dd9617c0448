/**
 * What mice and fingers do on the field: click and tap, right click and long press, dragging with the mouse, zooming by
 * pinch or Ctrl and wheel. It tells; what follows from it is said elsewhere.
 */

const LONG_PRESS_MS = 400;
const STILL_PX = 9; // a finger that moves no further has not moved

/**
 * `frame` scrolls, `surface` is the field in it. Told are: `onTap(square)`, `onSecond(square)` (right click, long press,
 * the menu key), `onAim(square or null)` as a mouse moves, `onZoom(factor, from, to)`, where `from` is the middle of the
 * fingers, as `{x, y}` in the window, when the zoom began, `to` where it is now, and `factor` counts from the beginning,
 * when `onZoomStart()` was told. `squareAt(x, y)` is the `{x, y}` of the square at a place in the window, or null.
 */
export function listenToFingers({ frame, surface, squareAt, onTap, onSecond, onAim, onZoomStart, onZoom }) {
  let pointer = "mouse";
  let down = null; // {x, y} where the pointer went down
  let spent = false; // the press was a long press, a drag or a pinch: no click shall follow
  let timer = null;
  let pinch = null; // {distance, middle}

  const squareOf = (event) => {
    const cell = event.target.closest("[data-row]");
    // A click that a keyboard or a screen reader makes has no place, but a target.
    if (cell !== null && event.detail === 0) return { x: Number(cell.dataset.column), y: Number(cell.dataset.row) };
    return squareAt(event.clientX, event.clientY);
  };
  const stopTimer = () => {
    clearTimeout(timer);
    timer = null;
  };

  surface.addEventListener("mousedown", (event) => event.preventDefault()); // the focus stays until it is known what this is

  surface.addEventListener("pointerdown", (event) => {
    if (!event.isPrimary) return stopTimer();
    pointer = event.pointerType;
    down = { x: event.clientX, y: event.clientY, left: frame.scrollLeft, top: frame.scrollTop };
    spent = false;
    if (pointer === "mouse") return;
    timer = setTimeout(() => {
      timer = null;
      spent = true;
      const square = squareAt(down.x, down.y);
      if (square === null) return;
      navigator.vibrate?.(12);
      onSecond(square);
    }, LONG_PRESS_MS);
  });

  surface.addEventListener("pointermove", (event) => {
    if (pointer === "mouse" && event.pointerType === "mouse") onAim(squareAt(event.clientX, event.clientY));
    if (down === null || !event.isPrimary) return;
    const [dx, dy] = [event.clientX - down.x, event.clientY - down.y];
    if (Math.hypot(dx, dy) > STILL_PX) {
      stopTimer();
      if (event.pointerType === "mouse" && event.buttons === 1) spent = true;
    }
    if (!spent || event.pointerType !== "mouse" || event.buttons !== 1) return;
    surface.setPointerCapture(event.pointerId);
    frame.scrollTo({ left: down.left - dx, top: down.top - dy, behavior: "instant" });
  });

  for (const end of ["pointerup", "pointercancel"]) {
    surface.addEventListener(end, () => {
      stopTimer();
      if (end === "pointercancel") spent = true;
      setTimeout(() => (down = null)); // after the click that belongs to it
    });
  }
  surface.addEventListener("pointerleave", () => onAim(null));

  surface.addEventListener("click", (event) => {
    if (spent && event.detail !== 0) return;
    const square = squareOf(event);
    if (square !== null) onTap(square);
  });

  surface.addEventListener("contextmenu", (event) => {
    event.preventDefault();
    if (pointer !== "mouse" && down !== null) return; // a finger's long press is timed above
    const cell = event.target.closest("[data-row]");
    const square = cell !== null && event.button !== 2 ? squareOfCell(cell) : squareAt(event.clientX, event.clientY);
    if (square !== null) onSecond(square);
  });

  frame.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    onZoomStart();
    const place = { x: event.clientX, y: event.clientY };
    onZoom(Math.exp(-Math.max(-60, Math.min(60, event.deltaY)) / 150), place, place);
  }, { passive: false });

  // Two fingers: touch events, because a pointer that the browser takes for scrolling tells nothing more.
  const middleOf = ([a, b]) => ({ x: (a.clientX + b.clientX) / 2, y: (a.clientY + b.clientY) / 2 });
  const distanceOf = ([a, b]) => Math.max(20, Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY));
  frame.addEventListener("touchstart", (event) => {
    if (event.touches.length !== 2) return;
    spent = true;
    stopTimer();
    if (event.cancelable) event.preventDefault();
    pinch = { distance: distanceOf(event.touches), middle: middleOf(event.touches) };
    onZoomStart();
  }, { passive: false });
  frame.addEventListener("touchmove", (event) => {
    if (pinch === null || event.touches.length !== 2) return;
    if (event.cancelable) event.preventDefault();
    onZoom(distanceOf(event.touches) / pinch.distance, pinch.middle, middleOf(event.touches));
  }, { passive: false });
  frame.addEventListener("touchend", (event) => {
    if (event.touches.length < 2) pinch = null;
  });
}

const squareOfCell = (cell) => ({ x: Number(cell.dataset.column), y: Number(cell.dataset.row) });
