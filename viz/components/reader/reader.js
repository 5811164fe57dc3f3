// The linked reader. Text reaches the page only through textContent and attributes. Hovering, scrolling and dragging stay in
// the browser; the server hears when a line is released and when a column is chosen.

import { emit, listen } from "../shared/bus.js";
import { el, groundCount, isDark, liveRegion } from "../shared/dom.js";
import { storedText } from "../shared/store.js";
import { Axis } from "./axis.js";
import { Column } from "./column.js";

export default function (component) {
  const root = component.parentElement.querySelector(".seamark");
  const reader = (root.reader ??= new Reader(root));
  reader.update(component);
  return () => reader.dispose();
}

class Reader {
  constructor(root) {
    this.root = root;
    this.title = root.appendChild(el("h1"));
    this.summary = root.appendChild(el("p", "summary"));
    this.axis = new Axis(this);
    this.scroller = root.appendChild(el("div", "columns"));
    this.heads = this.scroller.appendChild(el("div", "grid heads"));
    this.texts = this.scroller.appendChild(el("div", "grid"));
    this.live = liveRegion(root);
    this.columns = [];
    this.near = [];
    this.stepped = new Map();
    this.active = null;
    this.observer = new ResizeObserver(() => this.text !== undefined && this.axis.draw());
    this.observer.observe(root);
    const handlers = {
      "seamark-text": () => this.component && this.update(this.component),
      "seamark-step": (step) => this.showStep(step),
      "seamark-jump": ({ sentence }) => this.jump(sentence),
      "seamark-mark": ({ ranges }) => this.markRanges(ranges),
    };
    this.dispose = listen(root, handlers, () => this.observer.disconnect());
    root.addEventListener("pointerleave", () => this.mark([]));
    this.texts.addEventListener("click", (event) => {
      const span = event.target.closest(".s");
      if (span && !getSelection()?.toString()) this.chose(Number(span.dataset.s));
    });
  }

  update(component) {
    this.component = component;
    const data = (this.data = component.data);
    const source = storedText(data.source);
    this.root.dataset.theme = isDark(this.root) ? "dark" : "light";
    this.grounds = groundCount(this.root);
    this.root.classList.toggle("without-axis", !data.axis);
    this.title.textContent = data.title;
    this.summary.textContent = data.summary;
    if (source === undefined) return;
    const known = `${data.known} ${data.marking}`;
    this.missed = new Set(data.known ?? []);
    if (this.source === source && this.known !== known) {
      this.known = known;
      for (const column of this.columns) column.updateAllSentences();
    }
    if (this.source !== source) {
      this.source = source;
      this.known = known;
      ({ text: this.text, starts: this.starts, ends: this.ends } = source);
      this.sentences = this.starts.length;
      for (const column of this.columns) column.reset();
      this.axis.reset();
    }
    this.root.style.setProperty("--count", data.columns.length);
    while (this.columns.length > data.columns.length) this.columns.pop().remove();
    while (this.columns.length < data.columns.length) this.columns.push(new Column(this, this.columns.length));
    this.columns.forEach((column, index) => column.update(data.columns[index], index === data.selected));
    const chosen = this.columns[data.selected];
    this.axis.update(chosen?.curve ? chosen : this.columns.find((column) => column.curve));
    this.markStep();
    this.root.dataset.painted = String(Number(this.root.dataset.painted ?? 0) + 1);
    // A stepper that was mounted before the text repeats its step.
    if (this.root.dataset.painted === "1") emit("seamark-ready", null);
  }

  // ---- links between the axis and the columns ---------------------------------------------------------------------

  // One sentence has a gap on either side; two neighbours have one between them.
  mark(sentences, at = sentences.length ? sentences[0] + 0.5 : undefined) {
    for (const node of this.near) node.classList.remove("near");
    this.near = sentences.flatMap((sentence) => this.columns.flatMap((column) => column.spansOf(sentence)));
    for (const node of this.near) node.classList.add("near");
    const [first, second] = sentences;
    const step = this.step?.gap ?? null;
    if (second !== undefined) this.axis.point(at, [first]);
    else if (first !== undefined) this.axis.pointAround(first, at);
    else if (step !== null) this.axis.point(step + 1, [step]);
    else this.axis.point();
  }

  markRanges(ranges) {
    this.mark([]);
    this.near = ranges.flatMap((range) => this.columns.flatMap((column) => column.spansBetween(...range)));
    for (const node of this.near) node.classList.add("near");
  }

  jump(sentence) {
    this.keeping = null;
    const target = Math.max(0, Math.min(this.sentences - 1, sentence));
    for (const column of this.columns) column.scrollTo(target, 60, true);
    this.axis.window.reveal(target);
    this.mark([target]);
  }

  // Tell the other components which gap the user chose, on the curve or by the sentence before it.
  chose(gap) {
    emit("seamark-gap", { gap: Math.max(0, Math.min(this.sentences - 2, gap)) });
  }

  // ---- the step of a stepper --------------------------------------------------------------------------------------

  showStep(step) {
    this.step = step;
    this.keeping = null;
    if (this.text === undefined) return;
    this.markStep();
    if (step.gap !== null) {
      this.axis.window.reveal(step.gap + 1);
      this.axis.point(step.gap + 1, [step.gap]);
    }
    const sentence = (step.next ?? step.growing)?.[0];
    // Pointing alone does not scroll the text.
    if (sentence === undefined || step.still) return;
    // Groups that come into view, and the blocks in them, get their real height a frame or two later.
    const keep = (frames) => {
      if (this.keeping !== step) return;
      for (const column of this.columns) column.keepInSight(sentence);
      if (frames) requestAnimationFrame(() => keep(frames - 1));
    };
    this.keeping = step;
    keep(4);
    // Something may cover the bottom of the page; its scroll padding says how much.
    if (!step.arriving) this.columns[0]?.spansOf(sentence)[0]?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  markStep() {
    const marked = new Map();
    for (const name of ["growing", "middle", "next"]) {
      const range = this.step?.[name];
      if (range) for (const node of this.columns.flatMap((column) => column.spansBetween(...range))) marked.set(node, name);
    }
    for (const [node, name] of this.stepped) if (marked.get(node) !== name) node.classList.remove(name);
    for (const [node, name] of marked) node.classList.add(name);
    this.stepped = marked;
  }

  follow(column) {
    if (this.active !== column || this.following) return;
    this.following = requestAnimationFrame(() => {
      this.following = null;
      const top = column.topmost();
      if (top) for (const other of this.columns) if (other !== column) other.scrollTo(top.sentence, top.offset);
    });
  }
}
