// A zoom window: the visible range of a text's sentences. Wheel, drag, keys, buttons and the overview strip move it.

import { el, firstWhere } from "./dom.js";

const CLOSEST = 8; // sentences in the window at the closest zoom

export class ZoomWindow {
  // `frame` is as wide as the window and takes the wheel, `dragged` is the part of it that can be dragged; `draw` draws what
  // is visible and calls `drawControls`.
  constructor(frame, dragged, draw) {
    this.frame = frame;
    this.dragged = dragged;
    this.draw = draw;
    this.buttons = el("span", "zooming");
    this.whole = el("div", "overview");
    this.seen = this.whole.appendChild(el("div"));
    this.reset(1);
    this.hearButtons();
    this.hearWheel();
    this.hearDrag();
    this.hearWhole();
  }

  // ---- what is visible ------------------------------------------------------------------------------------------

  // Start over with a text of `count` sentences, the first `shown` of which are visible.
  reset(count, shown = count) {
    this.count = count;
    this.from = 0;
    this.to = shown;
    this.lookedAt = undefined; // the place that zooming keeps in place
  }

  get span() {
    return this.to - this.from;
  }

  get zoomed() {
    return this.span < this.count;
  }

  holds(at) {
    return at >= this.from && at <= this.to;
  }

  show(from, to) {
    const span = Math.min(this.count, Math.max(CLOSEST, to - from));
    const left = Math.max(0, Math.min(this.count - span, from));
    if (left === this.from && left + span === this.to) return;
    [this.from, this.to] = [left, left + span];
    this.redraw();
  }

  showAll() {
    this.show(0, this.count);
  }

  // Zoom around a place: by default the one being looked at, or else the middle.
  zoom(factor, at = this.holds(this.lookedAt) ? this.lookedAt : (this.from + this.to) / 2) {
    const span = Math.min(this.count, Math.max(CLOSEST, this.span * factor));
    const from = at - this.x(at, span);
    this.show(from, from + span);
  }

  // Bring a place into the window: just inside it from nearby, into the middle from afar.
  reveal(at) {
    const { span } = this;
    const edge = span / 10;
    if (at < this.from - span || at > this.to + span) this.show(at - span / 2, at + span / 2);
    else if (at < this.from + edge) this.show(at - edge, at - edge + span);
    else if (at > this.to - edge) this.show(at + edge - span, at + edge);
  }

  redraw() {
    this.pending ??= requestAnimationFrame(() => {
      this.pending = null;
      this.draw();
    });
  }

  // ---- places ---------------------------------------------------------------------------------------------------

  // The position of a place in a picture of the window that is `width` wide.
  x(at, width) {
    return ((at - this.from) / this.span) * width;
  }

  // The place under the pointer.
  at(event) {
    const box = this.frame.getBoundingClientRect();
    return this.from + ((event.clientX - box.left) / box.width) * this.span;
  }

  // Of parts in text order, from `begins` to `ends`, the first that is visible and the first after it that is not.
  inside(begins, ends) {
    return [firstWhere(begins.length, (part) => ends[part] > this.from), firstWhere(begins.length, (part) => begins[part] >= this.to)];
  }

  // The parts to draw and their positions; of several within one pixel only the first.
  seenOf(begins, ends, width) {
    const parts = [];
    const [first, last] = this.inside(begins, ends);
    let painted = -Infinity;
    for (let part = first; part < last; part++) {
      const [left, right] = [this.x(begins[part], width), this.x(ends[part], width)];
      if (right <= painted) continue;
      if (right - left < 1) painted = Math.floor(left) + 1;
      parts.push({ part, left, right });
    }
    return parts;
  }

  // ---- what moves it --------------------------------------------------------------------------------------------

  hearButtons() {
    const button = (sign, name, act) => {
      const made = this.buttons.appendChild(el("button", "", sign));
      made.setAttribute("aria-label", name);
      made.title = name;
      made.addEventListener("click", act);
      return made;
    };
    this.closer = button("+", "Zoom in (key +, or Ctrl and the wheel)", () => this.zoom(0.5));
    this.further = button("−", "Zoom out (key −)", () => this.zoom(2));
    this.all = button("all", "Show the whole text (key 0)", () => this.showAll());
  }

  // Handle a key; returns whether it was one of the window's.
  key(event) {
    const act = { "+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2), 0: () => this.showAll() }[event.key];
    act?.();
    return act !== undefined;
  }

  hearWheel() {
    this.frame.addEventListener("wheel", (event) => {
      // The plain wheel scrolls the page; sideways it moves along the text.
      const sideways = event.shiftKey ? event.deltaY : event.deltaX;
      if (event.ctrlKey || event.metaKey) this.zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.006), this.at(event));
      else if (this.zoomed && Math.abs(sideways) > Math.abs(event.shiftKey ? event.deltaX : event.deltaY)) this.pull(this.from, sideways);
      else return;
      event.preventDefault();
    }, { passive: false });
  }

  // Show what lies `pixels` to the right of the place `from` at the left edge.
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
      // Clicks tremble: only a few pixels further is it a drag.
      if (!this.panned && Math.abs(away) < 4) return;
      if (!this.panned) dragged.setPointerCapture(event.pointerId);
      this.panned = true;
      this.pull(this.held.from, -away);
    });
    for (const name of ["pointerup", "pointercancel"]) dragged.addEventListener(name, () => (this.held = null));
    // The click that ends a drag is not a click.
    dragged.addEventListener("click", (event) => {
      if (this.panned) event.stopImmediatePropagation();
      this.panned = false;
    }, { capture: true });
  }

  hearWhole() {
    const { whole } = this;
    const centre = (event) => {
      const box = whole.getBoundingClientRect();
      const at = ((event.clientX - box.left) / box.width) * this.count;
      this.show(at - this.span / 2, at + this.span / 2);
    };
    whole.tabIndex = 0;
    whole.setAttribute("role", "slider");
    whole.setAttribute("aria-label", "Part of the text that is seen");
    whole.addEventListener("keydown", (event) => {
      const to = { ArrowLeft: this.from - this.span / 10, ArrowRight: this.from + this.span / 10, Home: 0, End: this.count }[event.key];
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
    // A text of at most two closest windows needs no buttons.
    for (const button of [this.closer, this.further, this.all]) button.style.display = this.count > 2 * CLOSEST ? "" : "none";
    this.closer.disabled = this.span <= CLOSEST;
    this.further.disabled = this.all.disabled = !this.zoomed;
    this.whole.style.display = this.zoomed ? "" : "none";
    this.dragged.classList.toggle("zoomed", this.zoomed);
    this.seen.style.left = `${(this.from / this.count) * 100}%`;
    this.seen.style.width = `${(this.span / this.count) * 100}%`;
    const words = `sentences ${Math.floor(this.from) + 1} to ${Math.ceil(this.to)} of ${this.count} are seen`;
    this.whole.setAttribute("aria-valuemin", 1);
    this.whole.setAttribute("aria-valuemax", this.count);
    this.whole.setAttribute("aria-valuenow", Math.floor(this.from) + 1);
    this.whole.setAttribute("aria-valuetext", words);
    this.whole.title = words;
  }
}
