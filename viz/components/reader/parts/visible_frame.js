// The frame on the strips around the visible part of the text. Dragging it scrolls the text; a click on the strips scrolls to
// the sentence there.

import { around, el } from "../../shared/dom.js";

/** @import { Strips } from "../strips.js" */

const TREMBLE = 4; // pixels that a click may tremble before it is a drag
const NARROWEST = 6; // pixels of the frame

export class VisibleFrame {
  /**
   * The press on the strips: its start and, if that is in the frame, the position of the frame's left edge.
   * @type {{ x: number, from: number | null } | null}
   */
  held = null;
  dragged = false;
  /** @type {number | null} */
  frame = null;
  /** @type {number | null} */
  target = null;

  /** @param {Strips} strips */
  constructor({ root, axis }) {
    this.root = root;
    this.axis = axis;
    this.node = root.appendChild(el("div", "here"));
    root.addEventListener("pointerdown", (event) => {
      if (event.button || !around(event, "canvas")) return;
      const [from, to] = this.range() ?? [0, 0];
      const at = axis.window.at(event);
      this.dragged = false;
      this.held = { x: event.clientX, from: at >= from && at <= to ? from : null };
    });
    root.addEventListener("pointermove", (event) => {
      if (this.held) this.drag(event, this.held);
      else if (around(event, "canvas")) axis.reader.mark([axis.sentenceAt(event)]);
    });
    for (const name of ["pointerup", "pointercancel"]) root.addEventListener(name, () => (this.held = null));
    root.addEventListener("click", (event) => {
      if (!this.dragged && around(event, "canvas")) axis.reader.jump(axis.sentenceAt(event));
      this.dragged = false;
    });
  }

  // The visible part of the text, in the column that the others follow.
  range() {
    return this.axis.reader.lead?.inSight();
  }

  /**
   * @param {PointerEvent} event
   * @param {{ x: number, from: number | null }} held
   */
  drag(event, { x, from }) {
    const { window } = this.axis;
    const away = event.clientX - x;
    if (!this.dragged && Math.abs(away) < TREMBLE) return;
    if (!this.dragged) this.root.setPointerCapture(event.pointerId);
    this.dragged = true;
    const [top, bottom] = this.range() ?? [0, 0];
    const along = (away / this.root.clientWidth) * window.span;
    this.target = from === null ? window.at(event) - (bottom - top) / 2 : from + along;
    this.later();
  }

  // Scroll, if the frame is dragged, and draw, once per animation frame.
  later() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      if (this.target !== null) this.axis.reader.scrollToPlace(this.target);
      this.target = null;
      this.draw();
    });
  }

  draw() {
    const { window } = this.axis;
    const range = this.range();
    const [from, to] = [Math.max(window.from, range?.[0] ?? 0), Math.min(window.to, range?.[1] ?? 0)];
    // A short text is visible as a whole.
    const all = range && range[0] <= 0.05 && range[1] >= window.count - 0.05;
    this.node.style.display = range && to > from && !all ? "block" : "none";
    const width = this.root.clientWidth;
    const wide = Math.max(NARROWEST, window.x(to, width) - window.x(from, width));
    this.node.style.left = `${Math.min(width - wide, window.x(from, width))}px`;
    this.node.style.width = `${wide}px`;
  }
}
