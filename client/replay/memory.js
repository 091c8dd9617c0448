/** Memory Scramble as it was: what lay where after a move, and how it is drawn. */

import { counted } from "../shared/dom.js";
import { initialsOf } from "../shared/player.js";

const SMALL_PX = 26; // device pixels; below, a ring must do without initials
const MOST_SPRITES = 3000;

export class MemoryScene {
  title = "Memory Scramble";
  unit = "pairs";
  heatOf = "flips";
  rows;
  columns;
  cells = new Map(); // index -> {card, by}; a spot that is not here is face down
  waiting = new Map(); // player -> index
  scores = new Map();
  heat = new Map(); // index -> flips
  latest = null;
  latestBy = null;
  #palette;
  #sprites = new Map();
  #spriteSize = 0;

  constructor(frame, palette) {
    this.#palette = palette;
    this.frame(frame);
  }

  /** What is known of the whole game. */
  frame({ rows, columns }) {
    this.rows = rows;
    this.columns = columns;
  }

  /** Forgets drawings: the theme has changed. */
  recolour() {
    this.#sprites.clear();
  }

  /** Takes over everything, as it was at the beginning of a piece. */
  reset({ cells, waiting, scores, heat }) {
    this.cells = new Map(cells.map(([index, card, by]) => [index, { card, by }]));
    this.waiting = new Map(Object.entries(waiting));
    this.scores = new Map(Object.entries(scores));
    this.heat = new Map(heat);
    this.latest = null;
    this.latestBy = null;
  }

  /** Takes over what one move changed. */
  apply({ player, change: { cells = [], flip = null, waiting = {}, scores = {}, restart = false } }) {
    if (restart) {
      this.cells.clear();
      this.waiting.clear();
      for (const name of this.scores.keys()) this.scores.set(name, 0);
    }
    for (const [index, card, by] of cells) {
      if (card === undefined) this.cells.delete(index);
      else this.cells.set(index, { card, by });
    }
    for (const [name, index] of Object.entries(waiting)) {
      if (index === null) this.waiting.delete(name);
      else this.waiting.set(name, index);
    }
    for (const [name, pairs] of Object.entries(scores)) this.scores.set(name, pairs);
    if (flip !== null) this.heat.set(flip, (this.heat.get(flip) ?? 0) + 1);
    this.latest = flip;
    this.latestBy = player;
  }

  /** What a player is doing: waiting, or holding cards. */
  note(player) {
    if (this.waiting.has(player)) return "waiting";
    const held = [];
    for (const { card, by } of this.cells.values()) if (card !== null && by === player) held.push(card);
    return held.join(" ");
  }

  /** A square in words. */
  label(index) {
    const cell = this.cells.get(index);
    const place = `${Math.floor(index / this.columns)},${index % this.columns}`;
    const flips = counted(this.heat.get(index) ?? 0, "flip");
    const is = cell === undefined ? "face down"
      : cell.card === null ? `taken by ${cell.by}`
      : `${cell.card}, ${cell.by === null ? "free" : `held by ${cell.by}`}`;
    return `${place}: ${is}, ${flips}`;
  }

  /** Draws all cards. */
  paint(context, { size, rows, columns }) {
    if (size !== this.#spriteSize || this.#sprites.size > MOST_SPRITES) this.#sprites.clear();
    this.#spriteSize = size;
    context.fillStyle = this.#palette.token("page");
    context.fillRect(0, 0, context.canvas.width, context.canvas.height);
    const down = this.#sprite("down", size, (on) => this.#drawDown(on, size));
    for (let row = 0, index = 0; row < rows; row += 1) {
      for (let column = 0; column < columns; column += 1, index += 1) {
        const cell = this.cells.get(index);
        context.drawImage(cell === undefined ? down : this.#spriteOf(cell, size), column * size, row * size);
      }
    }
    for (const [player, index] of this.waiting) this.#drawWaiter(context, player, index, size);
  }

  #spriteOf({ card, by }, size) {
    if (card === null) return this.#sprite(`gone ${by}`, size, (on) => this.#drawGone(on, by, size));
    return this.#sprite(`up ${by ?? ""} ${card}`, size, (on) => this.#drawUp(on, card, by, size));
  }

  #sprite(key, size, draw) {
    let sprite = this.#sprites.get(key);
    if (sprite === undefined) {
      sprite = document.createElement("canvas");
      sprite.width = sprite.height = Math.max(1, Math.ceil(size));
      draw(sprite.getContext("2d"));
      this.#sprites.set(key, sprite);
    }
    return sprite;
  }

  #card(on, size, fill) {
    const gap = size < 8 ? 0.5 : Math.max(1.5, size * 0.035);
    on.beginPath();
    on.roundRect(gap, gap, size - 2 * gap, size - 2 * gap, size * 0.11);
    on.fillStyle = fill;
    on.fill();
  }

  #drawDown(on, size) {
    this.#card(on, size, this.#palette.token("back"));
    if (size < 20) return;
    on.save();
    on.clip();
    on.fillStyle = this.#palette.token("thread");
    const weave = size / Math.round(size / Math.max(5, size / 9));
    for (let y = 0; y * weave < size; y += 1) {
      for (let x = y % 2; x * weave < size; x += 2) {
        on.beginPath();
        on.moveTo((x + 0.5) * weave, y * weave);
        on.lineTo((x + 1) * weave, (y + 0.5) * weave);
        on.lineTo((x + 0.5) * weave, (y + 1) * weave);
        on.lineTo(x * weave, (y + 0.5) * weave);
        on.fill();
      }
    }
    on.restore();
  }

  #drawUp(on, card, by, size) {
    this.#card(on, size, this.#palette.token("paper"));
    const line = Math.max(1, size * 0.012);
    if (by === null) {
      on.lineWidth = line;
      on.strokeStyle = this.#palette.token("paper-line");
      on.stroke();
    } else {
      on.save();
      on.clip();
      on.globalAlpha = 0.14;
      on.fillStyle = this.#palette.of(by);
      on.fillRect(0, 0, size, size);
      on.globalAlpha = 1;
      on.lineWidth = 2 * Math.max(2, size * 0.06); // half of it is cut off
      on.strokeStyle = this.#palette.of(by);
      on.stroke();
      on.restore();
    }
    this.#drawWord(on, card, size);
    if (by !== null && size >= SMALL_PX) this.#drawBadge(on, by, size * 0.79, size * 0.79, size * 0.17);
  }

  /** A card's text, as large as fits; what is too long even small ends in an ellipsis. */
  #drawWord(on, card, size) {
    on.fillStyle = this.#palette.token("paper-ink");
    on.textAlign = "center";
    on.textBaseline = "middle";
    let [text, height] = [card, size * 0.54];
    const font = () => (on.font = `600 ${height}px ${this.#palette.font}`);
    font();
    const width = on.measureText(text).width;
    height = Math.max(Math.min(height, (height * size * 0.78) / width), Math.min(size * 0.54, 9 * devicePixelRatio));
    font();
    const letters = [...text];
    while (letters.length > 1 && on.measureText(text).width > size * 0.84) {
      letters.pop();
      text = `${letters.join("")}…`;
    }
    on.fillText(text, size / 2, size * 0.53);
  }

  #drawGone(on, by, size) {
    const gap = Math.max(1.5, size * 0.035);
    on.beginPath();
    on.roundRect(gap, gap, size - 2 * gap, size - 2 * gap, size * 0.11);
    on.lineWidth = Math.max(1, size * 0.012);
    on.strokeStyle = this.#palette.token("line");
    on.stroke();
    on.beginPath();
    on.arc(size / 2, size / 2, Math.max(1.5, size * 0.19), 0, 2 * Math.PI);
    on.fillStyle = this.#palette.of(by, size >= SMALL_PX ? "player-soft" : "player");
    on.fill();
    if (size >= SMALL_PX) this.#drawInitials(on, by, size / 2, size / 2, size * 0.19, this.#palette.of(by));
  }

  #drawBadge(on, player, x, y, radius) {
    on.beginPath();
    on.arc(x, y, radius, 0, 2 * Math.PI);
    on.fillStyle = this.#palette.of(player);
    on.fill();
    this.#drawInitials(on, player, x, y, radius, this.#palette.of(player, "player-ink"));
  }

  #drawInitials(on, player, x, y, radius, colour) {
    on.fillStyle = colour;
    on.font = `700 ${radius * 0.95}px ${this.#palette.font}`;
    on.textAlign = "center";
    on.textBaseline = "middle";
    on.fillText(initialsOf(player), x, y + radius * 0.06);
  }

  /** A hollow badge on the card that somebody waits for. */
  #drawWaiter(context, player, index, size) {
    const place = [...this.waiting].filter(([, spot]) => spot === index).findIndex(([name]) => name === player);
    const radius = size * 0.15;
    const [x, y] = [(index % this.columns) * size + radius * (1.35 + 1.7 * place), Math.floor(index / this.columns) * size + radius * 1.35];
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fillStyle = this.#palette.token("surface");
    context.fill();
    context.lineWidth = Math.max(1.5, radius * 0.22);
    context.strokeStyle = this.#palette.of(player);
    context.stroke();
    if (size >= SMALL_PX) this.#drawInitials(context, player, x, y, radius * 0.9, this.#palette.of(player));
  }
}
