// The sentence axis: one visible range, shown as a strip per column, the curve with its lines, and a cursor through all of them.

import { el, paints } from "../shared/dom.js";
import { grouped, round } from "../shared/format.js";
import { CLOSEST } from "../shared/visible_range.js";
import { ZoomWindow } from "../shared/zoom_window.js";
import { Plot } from "./plot.js";
import { Strips } from "./strips.js";

/**
 * @import { Column } from "./column.js"
 * @import { Reader } from "./reader.js"
 */

export class Axis {
  /**
   * Draw the curve of `column`, if there is one.
   * @type {Column | undefined}
   */
  column;
  /**
   * The highlighted gaps on the curve.
   * @type {number[] | undefined}
   */
  pointed;
  font = "";
  /** Text of the caption, computed whenever the axis is drawn, as the line may have moved. */
  saying = () => "";

  /** @param {Reader} reader */
  constructor(reader) {
    this.reader = reader;
    this.root = reader.root.appendChild(el("div", "axis"));
    this.field = this.root.appendChild(el("div", "field")); // as wide as the window: names and labels stand beside it
    this.colour = paints(reader.root);
    this.strips = new Strips(this);
    this.plot = new Plot(this);
    this.window = new ZoomWindow(this.field, this.plot.root, () => this.draw());
    this.field.append(this.window.whole);
    this.cursor = this.field.appendChild(el("div", "cursor"));
    this.foot = this.root.appendChild(el("div", "foot"));
    this.captionLine = this.foot.appendChild(el("div", "said"));
    this.turn = el("span", "turn");
    this.foot.append(this.plot.legend, this.turn, this.window.buttons);
  }

  // Start over with another text.
  reset() {
    this.plot.gap = undefined;
    this.saying = () => "";
    this.window.reset(Math.max(1, this.reader.sentences));
  }

  /** @param {Column | undefined} column */
  update(column) {
    this.column = column;
    this.plot.update(column?.curve ?? null);
    this.draw();
  }

  draw() {
    this.colour = paints(this.reader.root);
    this.font = getComputedStyle(this.reader.root).fontFamily;
    const { data } = this.plot.curve;
    this.root.classList.toggle("curved", data !== null);
    this.root.classList.toggle("named", (data?.lines.length ?? 0) > 1);
    this.strips.draw();
    this.window.drawControls();
    this.plot.draw();
    this.reader.disagreements.draw();
    const offered = Object.keys(this.reader.data?.offers ?? {}).length > 0;
    const used = data || this.reader.disagreements.shown || this.window.count > 2 * CLOSEST || offered;
    this.foot.style.display = used ? "" : "none";
    this.point(this.window.lookedAt, this.pointed);
    this.caption();
    this.strips.visibleFrame.later();
  }

  /**
   * The sentence under the pointer.
   * @param {MouseEvent} event
   */
  sentenceAt(event) {
    return Math.max(0, Math.min(this.window.count - 1, Math.floor(this.window.at(event))));
  }

  /**
   * Highlight a position, and the gaps next to it on the curve; without a position, clear the highlight.
   * @param {number} [at]
   * @param {number[]} [gaps]
   */
  point(at, gaps = []) {
    this.window.lookedAt = at;
    this.pointed = gaps;
    const shown = this.window.holds(at);
    this.cursor.style.display = shown ? "block" : "none";
    if (shown) this.cursor.style.left = `${this.window.x(at, 100)}%`;
    this.plot.ring(gaps);
  }

  /**
   * Highlight a sentence, and describe the gaps on both sides of it.
   * @param {number} sentence
   * @param {number} [at]
   */
  pointAround(sentence, at) {
    const gaps = [sentence - 1, sentence];
    this.point(at, gaps);
    const { curve, lines } = this.plot;
    const { horizon } = this.reader;
    const scored = gaps.filter((gap) => (curve.data?.scores[gap] ?? null) !== null && horizon.shows(gap));
    if (!scored.length) return;
    const described = (/** @type {number} */ gap) => {
      const score = curve.data?.scores[gap] ?? null;
      return `gap ${grouped(gap + 1)} ${lines.decided(gap).name}${score === null ? "" : ` at ${round(score)}`}`;
    };
    this.say(() => `Sentence ${grouped(sentence + 1)}, between ${scored.map(described).join(" and ")}`, false);
  }

  /** @param {() => string} words */
  say(words, aloud = true) {
    this.saying = words;
    this.caption();
    if (aloud) this.reader.live.textContent = this.captionLine.textContent;
  }

  caption() {
    const text = this.saying();
    if (this.captionLine.textContent === text) return;
    this.captionLine.textContent = this.captionLine.title = text;
  }
}
