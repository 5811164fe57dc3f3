// The plot: the score curve and its threshold lines. Pointer and keys move from gap to gap, and from there to the text.

import { around, capital, el } from "../shared/dom.js";
import { counted, grouped } from "../shared/format.js";
import { Curve } from "./curve.js";
import { ThresholdLines } from "./threshold_lines.js";

/**
 * @import { Axis } from "./axis.js"
 * @import { CurveData } from "./payload.data.d.ts"
 */

export class Plot {
  /**
   * The highlighted gap.
   * @type {number | undefined}
   */
  gap;

  /** @param {Axis} axis */
  constructor(axis) {
    this.axis = axis;
    this.root = axis.field.appendChild(el("div", "plot"));
    this.bar = this.root.appendChild(el("div", "bar"));
    this.label = this.bar.appendChild(el("span"));
    this.legend = el("span", "legend");
    this.root.tabIndex = 0;
    this.root.setAttribute("role", "group");
    this.curve = new Curve(this);
    this.lines = new ThresholdLines(this);
    this.rings = [0, 1].map(() => this.root.appendChild(el("div", "ring")));
    this.root.addEventListener("pointermove", (event) => {
      // The area next to the plot belongs to no gap.
      if (around(event, ".bar, .line span")) return;
      if (!this.lines.dragging && !axis.window.held) this.showGap(this.gapAt(event));
    });
    this.root.addEventListener("click", (event) => {
      if (around(event, ".line, .bar")) return;
      const gap = this.gapAt(event);
      this.lead(gap);
      axis.reader.chose(gap);
    });
    this.root.addEventListener("keydown", (event) => this.key(event));
  }

  // The number of the column that the curve belongs to.
  get column() {
    return this.axis.column?.index ?? 0;
  }

  /** @param {CurveData | null} data */
  update(data) {
    this.curve.update(data);
    this.lines.update(this.axis.reader.data?.heard ?? null);
  }

  draw() {
    const { data } = this.curve;
    const { known, margin } = this.axis.reader.data ?? {};
    this.root.style.display = data ? "" : "none";
    const which = this.axis.reader.columns.length > 1 ? `, column ${this.column + 1}` : "";
    this.label.textContent = data ? capital(data.label) + which : "";
    const signs = [
      known && "▲ known boundary",
      data?.null && "▬ shuffled",
      "● cut",
      "○ kept",
      data?.constrained && "◆ changed by a size",
      margin && "◌ near the line",
    ];
    this.legend.replaceChildren(...(data ? signs : []).flatMap((sign) => (sign ? [el("span", "", sign)] : [])));
    this.legend.title = data?.null
      ? "▬ shuffled: half of the scores lie here when the sentences of the text are shuffled"
      : "";
    if (data) {
      this.curve.draw();
      this.root.setAttribute(
        "aria-label",
        `${data.label} of ${counted(data.scores.length, "gap")}; left and right arrows go from gap to gap, Enter to the text, plus and minus zoom, 0 shows all`,
      );
    }
    this.lines.draw();
  }

  /**
   * Draw rings around the points of up to two gaps on the curve.
   * @param {number[]} gaps
   */
  ring(gaps) {
    this.rings.forEach((ring, index) => {
      const gap = gaps[index];
      const score = this.curve.data?.scores[gap];
      const seen = score != null && this.axis.window.holds(gap + 1) && this.axis.reader.horizon.shows(gap);
      ring.style.display = seen ? "block" : "none";
      if (seen) Object.assign(ring.style, { left: `${this.axis.window.x(gap + 1, 100)}%`, top: `${this.curve.y(score)}px` });
    });
  }

  /** @param {MouseEvent} event */
  gapAt(event) {
    return this.inText(Math.round(this.axis.window.at(event)) - 1);
  }

  /** @param {number} gap */
  inText(gap) {
    return Math.max(0, Math.min(this.axis.window.count - 2, gap));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.target !== this.root || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "ArrowRight") this.walk(1);
    else if (event.key === "ArrowLeft") this.walk(-1);
    else if (event.key === "Enter") {
      if (this.gap !== undefined) this.lead(this.gap);
    } else if (!this.axis.window.key(event)) return;
    event.preventDefault();
  }

  /** @param {number} step */
  walk(step) {
    const { window } = this.axis;
    this.gap = this.inText((this.gap ?? (window.zoomed ? Math.floor(window.from) : -1)) + step);
    if (window.zoomed) window.reveal(this.gap + 1);
    this.showGap(this.gap, true);
    this.axis.reader.chose(this.gap);
  }

  /**
   * Go to a gap in the text.
   * @param {number} gap
   */
  lead(gap) {
    this.axis.reader.jump(gap + 1);
    this.showGap(gap);
  }

  /** @param {number} gap */
  showGap(gap, aloud = false) {
    const { data } = this.curve;
    if (!data || !this.axis.reader.horizon.shows(gap)) return;
    this.gap = gap;
    this.axis.reader.mark([gap, gap + 1], gap + 1);
    this.axis.say(() => {
      const { name, reason } = this.lines.decided(gap);
      return `Gap ${grouped(gap + 1)}, between sentences ${grouped(gap + 1)} and ${grouped(gap + 2)} · ${name} · ${reason}`;
    }, aloud);
  }
}
