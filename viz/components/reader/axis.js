// The axis: one window onto the text, shown as a strip per column, as the curve with its lines, and as a cursor through all.

import { el, paints } from "../shared/dom.js";
import { round } from "../shared/format.js";
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
   * The gaps on the curve that are pointed at.
   * @type {number[] | undefined}
   */
  pointed;
  font = "";

  /** @param {Reader} reader */
  constructor(reader) {
    this.reader = reader;
    this.root = reader.root.appendChild(el("div", "axis"));
    this.colour = paints(reader.root);
    this.strips = new Strips(this);
    this.plot = new Plot(this);
    this.window = new ZoomWindow(this.root, this.plot.root, () => this.draw());
    this.plot.bar.append(this.window.buttons);
    this.root.append(this.window.whole);
    this.cursor = this.root.appendChild(el("div", "cursor"));
    this.said = this.root.appendChild(el("div", "said"));
  }

  // Start over with another text.
  reset() {
    this.plot.gap = undefined;
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
    this.strips.draw();
    this.window.drawControls();
    this.plot.draw();
    this.said.style.display = this.plot.curve.data ? "" : "none";
    this.point(this.window.lookedAt, this.pointed);
    this.reader.disagreements.draw();
  }

  /**
   * The sentence under the pointer.
   * @param {MouseEvent} event
   */
  sentenceAt(event) {
    return Math.max(0, Math.min(this.window.count - 1, Math.floor(this.window.at(event))));
  }

  /**
   * Point at a place, and at the gaps beside it on the curve; without a place, at nothing.
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
   * Point at a sentence, and describe the gaps on both sides of it.
   * @param {number} sentence
   * @param {number} [at]
   */
  pointAround(sentence, at) {
    const gaps = [sentence - 1, sentence];
    this.point(at, gaps);
    const { curve } = this.plot;
    const said = gaps.flatMap((gap) => {
      const score = curve.data?.scores[gap] ?? null;
      return score === null ? [] : [`gap ${gap + 1} ${curve.verdicts[gap].name} at ${round(score)}`];
    });
    if (said.length) this.say(`Sentence ${sentence + 1}, between ${said.join(" and ")}`, false);
  }

  /** @param {string} text */
  say(text, aloud = true) {
    this.said.textContent = text;
    this.said.title = text;
    if (aloud) this.reader.live.textContent = text;
  }
}
