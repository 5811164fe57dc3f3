// The heatmap of joint distances. Pointer and keys move from cell to cell; a cell represents two sentences of the text.

import { emit, listen, NOTHING } from "../shared/bus.js";
import { countPainted, expose } from "../shared/component_handle.js";
import { el, found, isDark, liveRegion } from "../shared/dom.js";
import { grouped } from "../shared/format.js";
import { storedMatrix } from "../shared/store.js";
import { HeatmapDrawing, neighbour, squaresOf } from "./heatmap_drawing.js";
import { describePair, hundredths, JointDistances, thousandths } from "./joint_distances.js";

/**
 * @import { Mark } from "../shared/bus.js"
 * @import { Component, Matrix } from "../shared/component.d.ts"
 * @import { Cell } from "./heatmap_drawing.js"
 * @import { HeatmapData } from "./heatmap.data.d.ts"
 */

/** @param {Component<HeatmapData>} component */
export default function (component) {
  const root = /** @type {HTMLElement & { heatmap?: Heatmap }} */ (found(component.parentElement, ".heatmap"));
  root.heatmap ??= new Heatmap(root);
  const view = root.heatmap;
  view.update(component);
  return () => view.dispose();
}

class Heatmap {
  /** @type {Component<HeatmapData> | null} */ component = null;
  /** @type {Matrix | null} */ matrix = null;
  /** @type {JointDistances | null} */ distances = null;
  /** @type {Readonly<Mark> | null} */ outer = null; // the last step of another component
  /** @type {Pick<Mark, "horizon" | "seen" | "asked" | "predicted" | "known" | "table">} */ built = {}; // what that step shows of the result
  speaking = false; // whether a step that is heard is its own
  /** @type {Cell | null} */ pinned = null;
  /** @type {Cell | null} */ pointed = null;
  /** @type {Cell | null} */ shown = null;
  turn = false; // whether Enter led to the first of the two sentences
  /** @type {number | null} */ frame = null;

  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.title = root.appendChild(el("h2"));
    this.explained = root.appendChild(el("p"));
    this.drawing = new HeatmapDrawing(root);
    this.map = this.drawing.map;
    this.legend = root.appendChild(el("div", "legend"));
    this.description = root.appendChild(el("div", "said"));
    this.message = root.appendChild(el("p", "message"));
    this.live = liveRegion(root);
    this.hearPointer();
    this.map.addEventListener("keydown", (event) => this.key(event));
    this.observer = new ResizeObserver(() => this.distances && this.draw());
    this.observer.observe(this.map);
    this.dispose = listen(
      root,
      {
        "seamark-matrix": () => this.component && this.update(this.component),
        "seamark-step": (step) => this.speaking || this.follow(step),
      },
      () => this.observer.disconnect(),
    );
    expose(root, this.handle());
  }

  /** @param {Component<HeatmapData>} component */
  update(component) {
    this.component = component;
    const { data } = component;
    this.root.dataset.theme = isDark(this.root) ? "dark" : "light";
    const matrix = storedMatrix(data.matrix) ?? null;
    const other = matrix !== this.matrix;
    if (other) this.pinned = this.pointed = null;
    this.matrix = matrix;
    this.distances = matrix && new JointDistances(data, matrix);
    this.explain(data);
    if (!matrix) return;
    if (other) this.pinned = this.pairOf(this.outer);
    this.draw();
    // A stepper that was mounted before the heatmap repeats its step.
    if (countPainted(this.root) === 1) emit("seamark-ready", null);
  }

  /**
   * Explain what is drawn, or why nothing is.
   * @param {HeatmapData} data
   */
  explain(data) {
    const count = data.chunk_of.length;
    for (const node of [this.map, this.legend, this.description]) node.style.display = data.matrix ? "" : "none";
    this.message.style.display = data.matrix || !count ? "none" : "";
    this.message.textContent = `The heatmap compares every sentence with every other: there may be at most ${grouped(data.most)}, and this text has ${grouped(count)}.`;
    if (data.lasts) {
      this.title.textContent = "Similarity of the sentences";
      this.explained.textContent =
        "A square is a chunk. Off the diagonal, strong cells add to its value and faint ones take from it.";
      return;
    }
    this.title.textContent = data.weight ? "Joint distance" : "Distance in meaning";
    const formula = data.weight
      ? `λ × place + (1 − λ) × meaning, λ ${thousandths(data.weight)}`
      : "1 − cosine, and no more than 1";
    const averaged = data.block > 1 ? ` Each cell is the mean of ${data.block} × ${data.block} pairs of sentences.` : "";
    this.explained.textContent = `${formula}. The stronger a cell, the nearer its two sentences.${averaged}`;
  }

  draw() {
    if (!this.component || !this.distances) return;
    const { data } = this.component;
    this.drawing.draw(data, this.distances);
    this.drawLegend(data);
    this.show(this.pointed ?? this.pinned);
  }

  /** @param {HeatmapData} data */
  drawLegend({ line, lasts }) {
    /**
     * @param {string} background
     * @param {string} words
     */
    const swatch = (background, words, className = "") => {
      const item = el("span");
      const box = item.appendChild(el("i", className));
      box.style.background = background;
      item.append(words);
      return item;
    };
    const items = [swatch("linear-gradient(to right, var(--ink), var(--page))", lasts ? "1 to 0" : "0 to 1", "ramp")];
    const beyond =
      lasts && line ? `below ${line[0]} ${hundredths(1 - line[1])}` : line && `beyond ${line[0]} ${thousandths(line[1])}`;
    if (beyond) items.push(swatch("color-mix(in srgb, var(--ink) 16%, var(--page))", `paler: ${beyond}`));
    if (!lasts)
      items.push(swatch("linear-gradient(135deg, var(--edge-0) 50%, var(--edge-1) 50%)", "in one chunk, in its colour"));
    this.legend.replaceChildren(...items);
  }

  // ---- the pair being looked at ---------------------------------------------------------------------------------

  /**
   * Mark the cell of two rows and describe it.
   * @param {Cell | null} cell
   */
  show(cell, aloud = false) {
    this.shown = cell;
    this.drawing.mark(cell);
    if (cell) this.say(cell, aloud);
    else
      this.description.replaceChildren(
        el("span", "parts", "Point at a cell to mark its two sentences in the text; click to scroll to them."),
      );
  }

  /**
   * @param {Cell} cell
   * @param {boolean} aloud
   */
  say(cell, aloud) {
    if (!this.component || !this.distances) return;
    const { head, facts, terms, sentences } = describePair(this.distances, this.component.data, cell);
    const first = el("div");
    first.append(el("b", "", head), ` · ${facts.join(" · ")}`);
    const buttons = el("div");
    for (const [name, sentence] of sentences) {
      const button = buttons.appendChild(el("button", "", `sentence ${name}`));
      button.addEventListener("click", () => emit("seamark-jump", { sentence }));
    }
    this.description.replaceChildren(first, el("div", "parts", terms && `= ${terms}`), buttons);
    if (aloud) this.live.textContent = `${head}, ${facts.join(", ")}`;
  }

  /** @param {Cell} cell */
  pin(cell, aloud = false) {
    this.pinned = cell;
    this.outer = null;
    this.show(cell, aloud);
    this.mark({ ...this.stepOf(cell), still: false });
  }

  // Restore the cell shown before the pointer entered.
  relax() {
    if (this.distances) this.show(this.pinned);
    this.mark(this.outer ?? (this.pinned ? this.stepOf(this.pinned) : { ...NOTHING, ...this.built, still: true }));
  }

  /**
   * Return a step that marks two rows in the text without scrolling it.
   * @param {Cell} cell
   * @returns {Mark}
   */
  stepOf([row, column]) {
    const { distances } = this;
    const nothing = { ...NOTHING, ...this.built, still: true };
    if (!distances) return nothing;
    return { ...nothing, growing: distances.range(row), next: row === column ? null : distances.range(column) };
  }

  /** @param {Mark} step */
  mark(step) {
    this.speaking = true;
    emit("seamark-step", step);
    this.speaking = false;
  }

  /**
   * Follow the step of another component.
   * @param {Mark} step
   */
  follow(step) {
    const { horizon, seen, asked, predicted, known, table } = step;
    this.built = { horizon, seen, asked, predicted, known, table };
    this.outer = step.growing || step.next ? { ...step, still: true } : null;
    if (this.component?.data.lasts) {
      this.drawing.table = table ?? null;
      this.pinned = null;
      this.show(this.pointed);
      return;
    }
    const pair = this.pairOf(this.outer);
    if (!pair) return;
    this.pinned = pair;
    this.show(pair);
  }

  /**
   * Return the rows of a step's two sentences; null if it does not have two.
   * @param {Readonly<Mark> | null} step
   * @returns {Cell | null}
   */
  pairOf(step) {
    const { distances } = this;
    if (!distances || !step?.growing || !step.next) return null;
    return [distances.row(step.growing[0]), distances.row(step.next[0])];
  }

  // ---- pointer and keys -----------------------------------------------------------------------------------------

  hearPointer() {
    const { map } = this;
    map.addEventListener("pointermove", (event) => {
      this.pointed = this.distances && this.drawing.cellAt(event);
      this.frame ??= requestAnimationFrame(() => {
        this.frame = null;
        if (!this.pointed) return;
        this.show(this.pointed);
        this.mark(this.stepOf(this.pointed));
      });
    });
    map.addEventListener("pointerleave", () => {
      this.pointed = null;
      this.relax();
    });
    map.addEventListener("click", (event) => {
      const cell = this.distances && this.drawing.cellAt(event);
      if (cell) this.pin(cell);
    });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (!this.distances || event.ctrlKey || event.metaKey || event.altKey) return;
    const cell = neighbour(event.key, this.pinned ?? [0, 0], event.shiftKey ? 10 : 1, this.distances.cells);
    if (event.key === "Enter" && this.shown) {
      this.turn = !this.turn;
      emit("seamark-jump", { sentence: this.distances.range(this.shown[this.turn ? 0 : 1])[0] });
    } else if (cell) {
      this.turn = false;
      this.pin(cell, true);
    } else return;
    event.preventDefault();
  }

  handle() {
    const heatmap = this;
    return {
      get cells() {
        return heatmap.distances?.cells ?? 0;
      },
      get weight() {
        return heatmap.component?.data.weight ?? null;
      },
      get squares() {
        const { lasts } = heatmap.component?.data ?? {};
        return lasts && heatmap.drawing.table ? squaresOf(lasts, heatmap.drawing.table) : [];
      },
      get pinned() {
        return heatmap.pinned && [...heatmap.pinned];
      },
      /**
       * @param {number} row
       * @param {number} column
       */
      at: (row, column) => this.drawing.middleOf(row, column),
      /**
       * @param {number} row
       * @param {number} column
       */
      between: (row, column) => {
        const { distances } = this;
        return (
          distances && {
            distance: distances.between(row, column),
            place: distances.place(row, column),
            meaning: distances.meaning(row, column),
          }
        );
      },
    };
  }
}
