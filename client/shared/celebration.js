/** The celebration at a game's end: confetti for 600 ms, and points that count up. Nothing under reduced motion. */

import { contextOf, element, motionIsReduced } from "./dom.js";

const LASTS_MS = 600;
const PIECES = 90;
const SIDE_PX = 9;
const COLOURS = ["#e2574c", "#f2b84b", "#4f9d69", "#4a7fd1", "#9a64c7", "#e98bb0"];

/**
 * Show confetti over `parent`, an open dialog. The canvas takes no input, and is removed afterwards.
 * @param {HTMLElement} parent
 */
export function confetti(parent) {
  if (motionIsReduced()) return;
  const canvas = element("canvas", { class: "confetti", "aria-hidden": "true" });
  const { innerWidth: width, innerHeight: height } = window;
  canvas.width = width;
  canvas.height = height;
  parent.append(canvas);
  const context = contextOf(canvas);
  const pieces = Array.from({ length: PIECES }, (_, number) => ({
    x: width * (0.5 + 0.3 * (Math.random() - 0.5)),
    y: height * 0.4,
    across: width * (Math.random() - 0.5) * 1.6,
    up: height * (0.2 + 0.6 * Math.random()),
    turn: Math.random() * Math.PI,
    colour: COLOURS[number % COLOURS.length],
  }));
  animate((share) => {
    context.clearRect(0, 0, width, height);
    context.globalAlpha = 1 - share ** 3;
    for (const { x, y, across, up, turn, colour } of pieces) {
      context.save();
      context.translate(x + across * share, y - up * share + 1.2 * height * share ** 2);
      context.rotate(turn + 6 * share);
      context.fillStyle = colour;
      context.fillRect(-SIDE_PX / 2, -SIDE_PX / 2, SIDE_PX, SIDE_PX * 0.6);
      context.restore();
    }
    if (share === 1) canvas.remove();
  });
}

/**
 * Let the whole numbers in these cells count up to their values.
 * @param {Iterable<Element>} cells
 */
export function countUp(cells) {
  if (motionIsReduced()) return;
  const counted = [...cells].map((cell) => ({ cell, text: cell.textContent ?? "" }));
  const numbers = counted.filter(({ text }) => /^\d+$/.test(text));
  animate((share) => {
    for (const { cell, text } of numbers)
      cell.textContent = share === 1 ? text : String(Math.round(Number(text) * (1 - (1 - share) ** 2)));
  });
}

/**
 * Call `draw(share)` in each frame, with a share of the time that grows to 1.
 * @param {(share: number) => void} draw
 */
function animate(draw) {
  const began = performance.now();
  const frame = () => {
    const share = Math.min(1, (performance.now() - began) / LASTS_MS);
    draw(share);
    if (share < 1) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}
