/** The replay of Memory Scramble: the board after a move, and its drawing. */

import { BoardScene } from "../replay/scene.js";
import { teller } from "../replay/telling.js";
import { WORDS as REPLAY } from "../replay/words.js";
import { contextOf, element } from "../shared/dom.js";
import { language } from "../shared/language.js";
import { initialsOf, nameOf } from "../shared/names.js";
import { retry } from "../shared/retry.js";
import { Game } from "./game.js";

/** @import { Geometry } from "../replay/scene.js" */
/** @import { Cell, Place } from "./game.js" */

/** @type {typeof import("./replay-words/en.js").default} */
const WORDS = (await retry(() => import(`./replay-words/${language}.js`))).default;

export const words = WORDS;
export const tell = teller(WORDS.moves, ["player", "players", "holder"]);

const SMALL_PX = 26; // device pixels; rings on smaller squares have no initials
const MOST_SPRITES = 3000;

const DOWN = /** @type {Cell} */ ({ is: "down" });

/** @typedef {[index: number, card?: string | null, by?: string | null]} PlacedCell no card: face down; null: taken */
/**
 * @typedef {object} Whole game, at the beginning of a piece
 * @property {PlacedCell[]} cells the cells that are not face down
 * @property {Record<string, number>} waiting
 * @property {Record<string, number>} scores
 * @property {[index: number, flips: number][]} heat
 */
/**
 * @typedef {object} Change by one move
 * @property {PlacedCell[]} [cells]
 * @property {number | null} [flip]
 * @property {Record<string, number | null>} [waiting]
 * @property {Record<string, number | null>} [scores]
 * @property {boolean} [restart]
 */

export class Scene extends BoardScene {
  #game = new Game();
  /** @type {Map<string, HTMLCanvasElement>} */ #sprites = new Map();
  #spriteSize = 0;

  /** Drop the drawings, because the theme has changed. */
  recolour() {
    this.#sprites.clear();
  }

  /**
   * Set the scene to the state at the beginning of a piece.
   * @param {Whole} whole
   */
  reset(whole) {
    super.reset(whole);
    this.#replaceAll(whole.cells, whole.waiting, whole.scores);
    this.scores = this.#game.scores;
  }

  /**
   * Apply the change of one move.
   * @param {{player: string | null, change: Change}} move
   */
  apply({ player, change: { cells = [], flip = null, waiting = {}, scores = {}, restart = false } }) {
    if (restart) this.#replaceAll([], {}, Object.fromEntries([...this.scores.keys()].map((name) => [name, 0])));
    this.#game.change({
      version: this.#game.version + 1,
      cells: cells.map(([index, card, by]) => {
        const [row, column] = this.#place(index);
        return { row, column, cell: cellOf(card, by) };
      }),
      waiting: Object.fromEntries(
        Object.entries(waiting).map(([name, index]) => [name, index === null ? null : this.#place(index)]),
      ),
      scores,
    });
    super.apply({ player, change: { place: flip } });
    this.scores = this.#game.scores;
  }

  /**
   * The player's current activity: waiting, or holding cards.
   * @param {string} player
   */
  note(player) {
    if (this.#game.waiting.has(player)) return WORDS.waiting;
    const held = this.#game.heldBy(player).map((index) => this.#game.cells[index].card);
    return held.join(" ");
  }

  /**
   * @param {PlacedCell[]} placed
   * @param {Record<string, number>} waiting
   * @param {Record<string, number>} scores
   */
  #replaceAll(placed, waiting, scores) {
    const { rows, columns } = this;
    const cells = new Array(rows * columns).fill(DOWN);
    for (const [index, card, by] of placed) cells[index] = cellOf(card, by);
    const places = Object.entries(waiting).map(([name, index]) => [name, this.#place(index)]);
    this.#game.replaceAll({
      version: this.#game.version + 1,
      rows,
      columns,
      cells,
      scores,
      waiting: Object.fromEntries(places),
      pairs_left: 0, // the replay page does not show it
    });
  }

  /**
   * @param {number} index
   * @returns {Place}
   */
  #place(index) {
    return [Math.floor(index / this.columns), index % this.columns];
  }

  /**
   * The description of a square.
   * @param {number} index
   */
  label(index) {
    const cell = this.#game.cells[index];
    const flips = WORDS.heat(this.heat.get(index) ?? 0);
    const is =
      cell.is === "down"
        ? WORDS.faceDown
        : cell.is === "none"
          ? WORDS.taken(nameOf(cell.by ?? ""))
          : cell.by === null
            ? WORDS.free(cell.card)
            : WORDS.held(cell.card, nameOf(cell.by));
    return REPLAY.label(super.label(index), is, flips);
  }

  /**
   * Draw all cards.
   * @param {CanvasRenderingContext2D} context
   * @param {Geometry} geometry
   */
  paint(context, { size, rows, columns }) {
    if (size !== this.#spriteSize || this.#sprites.size > MOST_SPRITES) this.#sprites.clear();
    this.#spriteSize = size;
    context.fillStyle = this.palette.token("page");
    context.fillRect(0, 0, context.canvas.width, context.canvas.height);
    const down = this.#sprite("down", size, (on) => this.#drawDown(on, size));
    for (let row = 0, index = 0; row < rows; row += 1) {
      for (let column = 0; column < columns; column += 1, index += 1) {
        const cell = this.#game.cells[index];
        context.drawImage(cell.is === "down" ? down : this.#spriteOf(cell, size), column * size, row * size);
      }
    }
    for (const [player, index] of this.#game.waiting) this.#drawWaiter(context, player, index, size);
  }

  /**
   * @param {Cell} cell a cell that is not face down
   * @param {number} size
   */
  #spriteOf({ is, card, by }, size) {
    if (is === "none") return this.#sprite(`gone ${by}`, size, (on) => this.#drawGone(on, by ?? "", size));
    return this.#sprite(`up ${by ?? ""} ${card}`, size, (on) => this.#drawUp(on, card, by, size));
  }

  /**
   * @param {string} key
   * @param {number} size
   * @param {(on: CanvasRenderingContext2D) => void} draw
   */
  #sprite(key, size, draw) {
    let sprite = this.#sprites.get(key);
    if (sprite === undefined) {
      sprite = element("canvas");
      sprite.width = sprite.height = Math.max(1, Math.ceil(size));
      draw(contextOf(sprite));
      this.#sprites.set(key, sprite);
    }
    return sprite;
  }

  /**
   * @param {CanvasRenderingContext2D} on
   * @param {number} size
   * @param {string} fill
   */
  #card(on, size, fill) {
    const gap = size < 8 ? 0.5 : Math.max(1.5, size * 0.035);
    on.beginPath();
    on.roundRect(gap, gap, size - 2 * gap, size - 2 * gap, size * 0.11);
    on.fillStyle = fill;
    on.fill();
  }

  /**
   * @param {CanvasRenderingContext2D} on
   * @param {number} size
   */
  #drawDown(on, size) {
    this.#card(on, size, this.palette.token("back"));
    if (size < 20) return;
    on.save();
    on.clip();
    on.fillStyle = this.palette.token("thread");
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

  /**
   * @param {CanvasRenderingContext2D} on
   * @param {string} card
   * @param {string | null} by
   * @param {number} size
   */
  #drawUp(on, card, by, size) {
    this.#card(on, size, this.palette.token("paper"));
    const line = Math.max(1, size * 0.012);
    if (by === null) {
      on.lineWidth = line;
      on.strokeStyle = this.palette.token("paper-line");
      on.stroke();
    } else {
      on.save();
      on.clip();
      on.globalAlpha = 0.14;
      on.fillStyle = this.palette.of(by);
      on.fillRect(0, 0, size, size);
      on.globalAlpha = 1;
      on.lineWidth = 2 * Math.max(2, size * 0.06); // half of the line is cut off
      on.strokeStyle = this.palette.of(by);
      on.stroke();
      on.restore();
    }
    this.#drawWord(on, card, size);
    if (by !== null && size >= SMALL_PX) this.#drawBadge(on, by, size * 0.79, size * 0.79, size * 0.17);
  }

  /**
   * Draw a card's text in the largest size that fits. A text that is too long at the smallest size ends in an ellipsis.
   * @param {CanvasRenderingContext2D} on
   * @param {string} card
   * @param {number} size
   */
  #drawWord(on, card, size) {
    on.fillStyle = this.palette.token("paper-ink");
    on.textAlign = "center";
    on.textBaseline = "middle";
    let [text, height] = [card, size * 0.54];
    const font = () => (on.font = `600 ${height}px ${this.palette.font}`);
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

  /**
   * @param {CanvasRenderingContext2D} on
   * @param {string} by
   * @param {number} size
   */
  #drawGone(on, by, size) {
    const gap = Math.max(1.5, size * 0.035);
    on.beginPath();
    on.roundRect(gap, gap, size - 2 * gap, size - 2 * gap, size * 0.11);
    on.lineWidth = Math.max(1, size * 0.012);
    on.strokeStyle = this.palette.token("line");
    on.stroke();
    on.beginPath();
    on.arc(size / 2, size / 2, Math.max(1.5, size * 0.19), 0, 2 * Math.PI);
    on.fillStyle = this.palette.of(by, size >= SMALL_PX ? "player-soft" : "player");
    on.fill();
    if (size >= SMALL_PX) this.#drawInitials(on, by, size / 2, size / 2, size * 0.19, this.palette.of(by));
  }

  /**
   * @param {CanvasRenderingContext2D} on
   * @param {string} player
   * @param {number} x
   * @param {number} y
   * @param {number} radius
   */
  #drawBadge(on, player, x, y, radius) {
    on.beginPath();
    on.arc(x, y, radius, 0, 2 * Math.PI);
    on.fillStyle = this.palette.of(player);
    on.fill();
    this.#drawInitials(on, player, x, y, radius, this.palette.of(player, "player-ink"));
  }

  /**
   * @param {CanvasRenderingContext2D} on
   * @param {string} player
   * @param {number} x
   * @param {number} y
   * @param {number} radius
   * @param {string} colour
   */
  #drawInitials(on, player, x, y, radius, colour) {
    on.fillStyle = colour;
    on.font = `700 ${radius * 0.95}px ${this.palette.font}`;
    on.textAlign = "center";
    on.textBaseline = "middle";
    on.fillText(initialsOf(player), x, y + radius * 0.06);
  }

  /**
   * Draw a hollow badge of a waiting player on a card.
   * @param {CanvasRenderingContext2D} context
   * @param {string} player
   * @param {number} index
   * @param {number} size
   */
  #drawWaiter(context, player, index, size) {
    const place = this.#game.waitersFor(index).indexOf(player);
    const radius = size * 0.15;
    const [x, y] = [
      (index % this.columns) * size + radius * (1.35 + 1.7 * place),
      Math.floor(index / this.columns) * size + radius * 1.35,
    ];
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fillStyle = this.palette.token("surface");
    context.fill();
    context.lineWidth = Math.max(1.5, radius * 0.22);
    context.strokeStyle = this.palette.of(player);
    context.stroke();
    if (size >= SMALL_PX) this.#drawInitials(context, player, x, y, radius * 0.9, this.palette.of(player));
  }
}

/**
 * A cell in the form of the game's frames.
 * @param {string | null} [card] the face-up card; null if a player took the card; undefined if it lies face down
 * @param {string | null} [by]
 */
function cellOf(card, by = null) {
  if (card === undefined) return DOWN;
  return /** @type {Cell} */ (card === null ? { is: "none", by } : { is: "up", card, by });
}
