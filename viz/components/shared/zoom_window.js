// A zoom window: the visible range of a text's sentences. Wheel, drag, keys, buttons and the overview strip move it.

import { el } from "./dom.js";
import { grouped } from "./format.js";
import { CLOSEST, VisibleRange } from "./visible_range.js";

export class ZoomWindow extends VisibleRange {
  /**
   * `frame` is as wide as the window and handles the wheel, `dragged` is the part of it that can be dragged; `draw` draws the
   * visible range and calls `drawControls`.
   * @param {HTMLElement} frame
   * @param {HTMLElement} dragged
   * @param {() => void} draw
   */
  constructor(frame, dragged, draw) {
    super();
    this.frame = frame;
    this.dragged = dragged;
    this.draw = draw;
    this.buttons = el("span", "zooming");
    this.whole = el("div", "overview");
    this.seen = this.whole.appendChild(el("div"));
    /** @type {number | null} */
    this.pending = null;
    /** @type {{ x: number, from: number } | null} */
    this.held = null;
    this.panned = false;
    this.closer = this.button("+", "Zoom in (key +, or Ctrl and the wheel)", () => this.zoom(0.5));
    this.further = this.button("−", "Zoom out (key −)", () => this.zoom(2));
    this.all = this.button("all", "Show all of the text (key 0)", () => this.showAll());
    this.hearWheel();
    this.hearDrag();
    this.hearWhole();
  }

  redraw() {
    this.pending ??= requestAnimationFrame(() => {
      this.pending = null;
      this.draw();
    });
  }

  /**
   * The position under the pointer.
   * @param {MouseEvent} event
   */
  at(event) {
    const box = this.frame.getBoundingClientRect();
    return this.from + ((event.clientX - box.left) / box.width) * this.span;
  }

  // ---- what moves it --------------------------------------------------------------------------------------------

  /**
   * @param {string} sign
   * @param {string} name
   * @param {() => void} act
   */
  button(sign, name, act) {
    const made = this.buttons.appendChild(el("button", "", sign));
    made.setAttribute("aria-label", name);
    made.title = name;
    made.addEventListener("click", act);
    return made;
  }

  /**
   * Handle a key; returns true if it belongs to the window.
   * @param {KeyboardEvent} event
   */
  key(event) {
    /** @type {Record<string, () => void>} */
    const acts = { "+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2), 0: () => this.showAll() };
    acts[event.key]?.();
    return event.key in acts;
  }

  hearWheel() {
    this.frame.addEventListener(
      "wheel",
      (event) => {
        // The plain wheel scrolls the page; sideways it moves along the text.
        const sideways = event.shiftKey ? event.deltaY : event.deltaX;
        if (event.ctrlKey || event.metaKey)
          this.zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.006), this.at(event));
        else if (this.zoomed && Math.abs(sideways) > Math.abs(event.shiftKey ? event.deltaX : event.deltaY))
          this.pull(this.from, sideways);
        else return;
        event.preventDefault();
      },
      { passive: false },
    );
  }

  /**
   * Scroll so that the left edge is `pixels` to the right of the position `from`.
   * @param {number} from
   * @param {number} pixels
   */
  pull(from, pixels) {
    const left = from + (pixels / this.frame.clientWidth) * this.span;
    this.show(left, left + this.span);
  }

  hearDrag() {
    const { dragged } = this;
    dragged.addEventListener("pointerdown", (event) => {
      this.panned = false;
      if (this.zoomed && !event.button) this.held = { x: event.clientX, from: this.from };
    });
    dragged.addEventListener("pointermove", (event) => {
      if (!this.held) return;
      const away = event.clientX - this.held.x;
      // A movement of a few pixels is a click, not a drag.
      if (!this.panned && Math.abs(away) < 4) return;
      if (!this.panned) dragged.setPointerCapture(event.pointerId);
      this.panned = true;
      this.pull(this.held.from, -away);
    });
    for (const name of ["pointerup", "pointercancel"]) dragged.addEventListener(name, () => (this.held = null));
    // The click that ends a drag is not a click.
    dragged.addEventListener(
      "click",
      (event) => {
        if (this.panned) event.stopImmediatePropagation();
        this.panned = false;
      },
      { capture: true },
    );
  }

  hearWhole() {
    const { whole } = this;
    /** @param {PointerEvent} event */
    const centre = (event) => {
      const box = whole.getBoundingClientRect();
      const at = ((event.clientX - box.left) / box.width) * this.count;
      this.show(at - this.span / 2, at + this.span / 2);
    };
    whole.tabIndex = 0;
    whole.setAttribute("role", "slider");
    whole.setAttribute("aria-label", "Part of the text that is seen");
    whole.addEventListener("keydown", (event) => {
      const step = this.span / 10;
      /** @type {Record<string, number>} */
      const places = { ArrowLeft: this.from - step, ArrowRight: this.from + step, Home: 0, End: this.count };
      const to = places[event.key];
      if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      this.show(to, to + this.span);
      event.preventDefault();
      event.stopPropagation();
    });
    whole.addEventListener("pointerdown", (event) => {
      whole.setPointerCapture(event.pointerId);
      centre(event);
    });
    whole.addEventListener("pointermove", (event) => {
      if (whole.hasPointerCapture(event.pointerId)) centre(event);
    });
  }

  drawControls() {
    // A text no longer than two of the closest windows needs no buttons.
    for (const button of [this.closer, this.further, this.all])
      button.style.display = this.count > 2 * CLOSEST ? "" : "none";
    this.closer.disabled = this.span <= CLOSEST;
    this.further.disabled = this.all.disabled = !this.zoomed;
    this.whole.style.display = this.zoomed ? "" : "none";
    this.dragged.classList.toggle("zoomed", this.zoomed);
    this.seen.style.left = `${(this.from / this.count) * 100}%`;
    this.seen.style.width = `${(this.span / this.count) * 100}%`;
    const words = `sentences ${grouped(Math.floor(this.from) + 1)} to ${grouped(Math.ceil(this.to))} of ${grouped(this.count)} are seen`;
    this.whole.setAttribute("aria-valuemin", "1");
    this.whole.setAttribute("aria-valuemax", String(this.count));
    this.whole.setAttribute("aria-valuenow", String(Math.floor(this.from) + 1));
    this.whole.setAttribute("aria-valuetext", words);
    this.whole.title = words;
  }

  handle() {
    return { from: this.from, to: this.to, drawn: !this.pending };
  }
}
