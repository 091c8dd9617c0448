/** Minesweeper as it was: what was dug and flagged after a move, drawn as on the game's own page. */

import { Field } from "../minesweeper/field.js";
import { Overview } from "../minesweeper/overview.js";
import { Painter } from "../minesweeper/painter.js";
import { counted } from "../shared/dom.js";

const ASKED = new Set();

export class MinesweeperScene {
  title = "Minesweeper";
  unit = "squares opened";
  heatOf = "digs";
  rows;
  columns;
  scores = new Map();
  heat = new Map(); // index -> digs
  latest = null;
  latestBy = null;
  #field = new Field();
  #overview = new Overview(this.#field);
  #painter;
  #blewUp = new Map(); // index -> player
  #version = 0;

  constructor(frame, _palette, canvas) {
    this.frame(frame);
    this.#painter = new Painter(canvas, this.#field, this.#overview);
  }

  frame({ rows, columns }) {
    this.rows = rows;
    this.columns = columns;
  }

  recolour() {
    this.#painter.readColours();
  }

  reset({ lines, craters, scores, heat }) {
    this.#version += 1;
    this.#field.replaceAll({ version: this.#version, columns: this.columns, rows: this.rows, you: null, lines, players: [] });
    this.#field.craters.clear();
    this.#blewUp = new Map(craters);
    for (const index of this.#blewUp.keys()) this.#field.craters.add(index);
    this.scores = new Map(Object.entries(scores));
    this.heat = new Map(heat);
    this.latest = null;
    this.latestBy = null;
  }

  apply({ player, change: { runs = [], dig = null, boom = false, scores = {} } }) {
    this.latest = dig;
    this.latestBy = player;
    if (runs.length > 0) {
      const [x, y] = dig === null ? runs[0] : [dig % this.columns, Math.floor(dig / this.columns)];
      this.#field.apply({ is: boom ? "exploded" : "dug", x, y, player: null, runs });
      if (boom) this.#blewUp.set(dig, player);
      this.latest = this.#field.index(x, y);
    }
    for (const [name, squares] of Object.entries(scores)) this.scores.set(name, squares);
    if (dig !== null) this.heat.set(dig, (this.heat.get(dig) ?? 0) + 1);
  }

  /** Where bombs went off: marked on the heat map. */
  get craters() {
    return this.#blewUp.keys();
  }

  note(player) {
    let booms = 0;
    for (const name of this.#blewUp.values()) booms += name === player;
    return booms === 0 ? "" : counted(booms, "boom");
  }

  label(index) {
    const [x, y] = this.#field.place(index);
    const is = this.#field.isUntouched(index) ? "untouched"
      : this.#field.isFlagged(index) ? "flagged"
      : `dug, ${counted(this.#field.count(index), "bomb")} around`;
    const boom = this.#blewUp.has(index) ? `, ${this.#blewUp.get(index)} blew up here` : "";
    return `${x},${y}: ${is}${boom}, ${counted(this.heat.get(index) ?? 0, "dig")}`;
  }

  paint(context, { size }) {
    const ratio = devicePixelRatio;
    if (!this.#painter.hasPictures || size < 5) this.#overview.drawAll();
    this.#painter.resize(context.canvas.width / ratio, context.canvas.height / ratio, size / ratio, ratio);
    this.#painter.drawAll(ASKED);
  }
}
