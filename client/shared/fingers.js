/**
 * Gestures of mouse and fingers on a board: click and tap, right click and long press, dragging with the mouse,
 * zooming by pinch or by Ctrl and wheel. This module only reports gestures. The board gives them a meaning.
 */

import { hit } from "./dom.js";

/** @typedef {{x: number, y: number}} Square or cell, by column and row */
/** @typedef {{x: number, y: number}} Point in the window */
/**
 * @typedef {object} Fingers
 * @property {HTMLElement} frame
 * @property {HTMLElement} surface
 * @property {(square: Square, finger: Point | null) => void} onTap
 * @property {(square: Square, finger: Point | null) => void} onSecond
 * @property {(square: Square | null) => void} onAim
 * @property {import("./zoom.js").Zoom} zoom
 */

const LONG_PRESS_MS = 400;
const STILL_PX = 9; // a pointer that moves less counts as still

/**
 * Report gestures. `frame` scrolls, `surface` is the board in the frame, `zoom` executes pinches. A tap calls
 * `onTap(square, finger)`. A right click, a long press and the menu key call `onSecond(square, finger)`. `finger` is
 * the place of the finger in the window, or null. A moving mouse calls `onAim(square or null)`.
 * @param {Fingers} parts
 */
export function listenToFingers({ frame, surface, zoom, onTap, onSecond, onAim }) {
  let pointer = "mouse";
  /** @type {{x: number, y: number, left: number, top: number} | null} */
  let down = null; // {x, y}: the place of the press
  let spent = false; // the press was a long press, a drag or a pinch: ignore its click
  /** @type {number | undefined} */ let timer;
  const squareAt = zoom.cellAt.bind(zoom);

  /** @param {MouseEvent} event */
  const squareOf = (event) => {
    const cell = hit(event, "[data-row]");
    // A click by a keyboard or a screen reader has a target but no place.
    if (cell !== null && event.detail === 0) return { x: Number(cell.dataset.column), y: Number(cell.dataset.row) };
    return squareAt(event.clientX, event.clientY);
  };
  /** @param {Point | null} place */
  const fingerAt = (place) => (pointer === "touch" ? place : null);
  const stopTimer = () => {
    clearTimeout(timer);
    timer = undefined;
  };

  // A press does not move the focus. A tap moves it.
  surface.addEventListener("mousedown", (event) => event.preventDefault());

  surface.addEventListener("pointerdown", (event) => {
    if (!event.isPrimary) return stopTimer();
    pointer = event.pointerType;
    down = { x: event.clientX, y: event.clientY, left: frame.scrollLeft, top: frame.scrollTop };
    spent = false;
    if (pointer === "mouse") return;
    timer = setTimeout(() => {
      timer = undefined;
      spent = true;
      const square = down === null ? null : squareAt(down.x, down.y);
      if (square === null) return;
      navigator.vibrate?.(12);
      onSecond(square, fingerAt(down));
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
      setTimeout(() => (down = null)); // after the click of this press
    });
  }
  surface.addEventListener("pointerleave", () => onAim(null));

  surface.addEventListener("click", (event) => {
    if (spent && event.detail !== 0) return;
    const square = squareOf(event);
    if (square !== null) onTap(square, event.detail === 0 ? null : fingerAt({ x: event.clientX, y: event.clientY }));
  });

  surface.addEventListener("contextmenu", (event) => {
    event.preventDefault();
    if (pointer !== "mouse" && down !== null) return; // a timer above handles a finger's long press
    const cell = hit(event, "[data-row]");
    const square = cell !== null && event.button !== 2 ? squareOfCell(cell) : squareAt(event.clientX, event.clientY);
    if (square !== null) onSecond(square, null);
  });

  listenToPinches(frame, zoom, () => {
    spent = true;
    stopTimer();
  });
}

/**
 * Zoom by a pinch of two fingers, or by Ctrl and the wheel. `onPinch()` is called when a pinch begins, because the
 * press is then not a tap.
 * @param {HTMLElement} frame
 * @param {import("./zoom.js").Zoom} zoom
 */
export function listenToPinches(frame, zoom, onPinch = () => {}) {
  /** @type {number | null} */ let pinch = null; // the distance of the two fingers at the beginning of the pinch

  frame.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      const place = { x: event.clientX, y: event.clientY };
      zoom.start(place);
      zoom.pinch(Math.exp(-Math.max(-60, Math.min(60, event.deltaY)) / 150), place);
    },
    { passive: false },
  );

  // Pinches use touch events, because pointer events stop when the browser begins to scroll.
  /** @param {TouchList} touches */
  const middleOf = ([a, b]) => ({ x: (a.clientX + b.clientX) / 2, y: (a.clientY + b.clientY) / 2 });
  /** @param {TouchList} touches */
  const distanceOf = ([a, b]) => Math.max(20, Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY));
  frame.addEventListener(
    "touchstart",
    (event) => {
      if (event.touches.length !== 2) return;
      onPinch();
      if (event.cancelable) event.preventDefault();
      pinch = distanceOf(event.touches);
      zoom.start(middleOf(event.touches));
    },
    { passive: false },
  );
  frame.addEventListener(
    "touchmove",
    (event) => {
      if (pinch === null || event.touches.length !== 2) return;
      if (event.cancelable) event.preventDefault();
      zoom.pinch(distanceOf(event.touches) / pinch, middleOf(event.touches));
    },
    { passive: false },
  );
  frame.addEventListener("touchend", (event) => {
    if (event.touches.length < 2) pinch = null;
  });
}

/** @param {HTMLElement} cell */
const squareOfCell = (cell) => ({ x: Number(cell.dataset.column), y: Number(cell.dataset.row) });
