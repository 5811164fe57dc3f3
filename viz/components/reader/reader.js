// The linked reader. Text reaches the page only through textContent and attributes. Hovering, scrolling and dragging stay in
// the browser; the server hears when a line is released and when a column is chosen.

import { emit, listen } from "../shared/bus.js";
import { countPainted, expose } from "../shared/component_handle.js";
import { around, el, found, groundCount, isDark, liveRegion } from "../shared/dom.js";
import { storedText } from "../shared/store.js";
import { Asking } from "./ask/asking.js";
import { Axis } from "./axis.js";
import { Column } from "./column.js";
import { sentencesAt } from "./disagreements/card.js";
import { Disagreements } from "./disagreements/disagreements.js";
import { Marking } from "./marking/marking.js";
import { ColumnKeys } from "./parts/column_keys.js";
import { Sideways } from "./parts/horizontal_scrolling.js";
import { offerToTake } from "./parts/reader_exports.js";
import { handleOf } from "./parts/reader_handle.js";
import { bringIntoWindow, uncover } from "./parts/scroll_into_window.js";
import { Horizon } from "./parts/stepper_horizon.js";
import { paragraphsOf } from "./parts/text_formatting.js";

/**
 * @import { Mark, Range } from "../shared/bus.js"
 * @import { HeadingData, Pages, TextHead } from "../browser_exchange.data.d.ts"
 * @import { Component, StoredText } from "../shared/component.d.ts"
 * @import { ReaderState } from "./state.d.ts"
 * @import { ReaderData } from "./payload.data.d.ts"
 */

/** @param {Component<ReaderData, ReaderState>} component */
export default function (component) {
  const root = /** @type {HTMLElement & { reader?: Reader }} */ (found(component.parentElement, ".seamark"));
  root.reader ??= new Reader(root);
  const { reader } = root;
  reader.update(component);
  return () => reader.dispose();
}

const BELOW_THE_EDGE = 60; // pixels from a column's upper edge to the sentence that a jump leads to

/** @type {("growing" | "middle" | "next")[]} */
const MARKED = ["growing", "middle", "next"];

export class Reader {
  /** @type {Component<ReaderData, ReaderState> | null} */ component = null;
  /** @type {ReaderData | null} */ data = null;
  /** @type {StoredText | null} */ source = null;
  text = "";
  /** @type {number[]} */ starts = [];
  /** @type {number[]} */ ends = [];
  sentences = 0;
  /** @type {Pages | undefined} */ pages;
  /** @type {TextHead["looks"]} */ looks = []; // of the parts of the text that do not look like all of it
  /** @type {HeadingData[]} */ headings = [];
  /** @type {number[]} */ paragraphs = []; // the sentences that begin one
  grounds = 1;
  known = ""; // the known boundaries, on which the marks of sentences depend
  /** @type {Set<number>} */ missed = new Set(); // the known boundaries
  /** @type {Column[]} */ columns = [];
  /** @type {Column | null} */ active = null; // the column that the others scroll with
  /** @type {number | null} */ following = null;
  /** @type {HTMLElement[]} */ near = []; // the nodes that are underlined
  /** @type {Mark | undefined} */ step;
  /** @type {Map<HTMLElement, string>} */ stepped = new Map(); // the nodes that the step marks, each with how
  /** @type {object | null} */ keeping = null; // the step or the jump that is kept in sight
  detailed = false; // whether the heads show their details
  sized = false; // whether the server sends sizes, which are among them

  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.title = root.appendChild(el("div", "titled")).appendChild(el("h1"));
    this.summary = root.appendChild(el("p", "summary"));
    root.append(offerToTake(this));
    this.horizon = new Horizon(this);
    this.axis = new Axis(this);
    this.scroller = root.appendChild(el("div", "columns"));
    this.heads = this.scroller.appendChild(el("div", "grid heads"));
    this.texts = this.scroller.appendChild(el("div", "grid texts"));
    this.disagreements = new Disagreements(this);
    this.marking = new Marking(this);
    this.sideways = new Sideways(this.scroller, this.heads);
    this.keys = new ColumnKeys(this);
    this.live = liveRegion(root);
    this.asking = new Asking(this);
    this.observer = new ResizeObserver(() => {
      this.keys.draw();
      if (this.source) this.axis.draw();
    });
    this.observer.observe(root);
    // What the user does next has priority over keeping a place in sight.
    for (const input of ["wheel", "touchmove", "pointerdown", "keydown"])
      root.addEventListener(input, () => (this.keeping = null), { capture: true, passive: true });
    this.dispose = listen(
      root,
      {
        "seamark-text": () => this.component && this.update(this.component),
        "seamark-step": (step) => this.showStep(step),
        "seamark-jump": ({ sentence }) => this.jump(sentence),
        "seamark-mark": ({ ranges }) => this.markRanges(ranges),
        "seamark-place": ({ at, press }) => this.disagreements.open(at, press),
        "seamark-verdicts": (verdicts) => this.disagreements.hear(verdicts),
        "seamark-cover": ({ covered }) => this.keys.cover(covered),
        "seamark-question": ({ question, before }) => this.asking.askFor(question, before),
        "seamark-scene": (scene) => {
          if (!this.data?.asking) return;
          scene.ask = this.asking.active ? this.asking.question : "";
          scene.hides = this.keys.on && this.keys.state.covered;
        },
        "seamark-asked": (asked) => this.asking.hear(asked),
      },
      () => {
        this.observer.disconnect();
        this.disagreements.leave();
        this.keys.leave();
        this.asking.leave();
        globalThis.removeEventListener("scroll", follow, { capture: true });
      },
    );
    // Scrolling the page changes the visible part of the text.
    const follow = () => this.axis.strips.visibleFrame.later();
    globalThis.addEventListener("scroll", follow, { capture: true, passive: true });
    root.addEventListener("pointerleave", () => this.mark([]));
    this.texts.addEventListener("click", (event) => {
      const span = around(event, ".s");
      if (span && !getSelection()?.toString()) this.chose(Number(span.dataset.s));
    });
    expose(root, handleOf(this));
  }

  /** @param {Component<ReaderData, ReaderState>} component */
  update(component) {
    const { data } = component;
    this.component = component;
    this.data = data;
    const source = storedText(data.source);
    this.root.dataset.theme = isDark(this.root) ? "dark" : "light";
    this.grounds = groundCount(this.root);
    this.root.classList.toggle("without-axis", !data.axis);
    this.title.textContent = data.title;
    this.summary.textContent = this.summary.title = data.summary;
    if (source === undefined) return;
    const known = String(data.known);
    this.missed = new Set(data.known ?? []);
    if (this.source === source && this.known !== known) {
      this.known = known;
      for (const column of this.columns) column.updateAllSentences();
    }
    if (this.source !== source) {
      this.source = source;
      this.known = known;
      ({ text: this.text, starts: this.starts, ends: this.ends, pages: this.pages } = source);
      this.sentences = this.starts.length;
      ({ looks: this.looks, headings: this.headings } = source);
      this.paragraphs = paragraphsOf(this.text, this.starts, this.ends);
      for (const column of this.columns) column.reset();
      this.axis.reset();
      this.disagreements.reset();
      this.marking.reset();
    }
    this.root.style.setProperty("--count", String(data.columns.length));
    while (this.columns.length > data.columns.length) this.columns.pop()?.remove();
    while (this.columns.length < data.columns.length) this.columns.push(new Column(this, this.columns.length));
    const empty = new Set(this.columns.filter(({ segments }) => !segments));
    for (const column of this.columns) column.update(data.columns[column.index], column.index === data.selected);
    this.align(empty);
    const sized = data.columns.some(({ table }) => table.length);
    if (sized !== this.sized) this.detailed = sized;
    this.sized = sized;
    this.showDetails(this.detailed);
    this.keys.draw();
    this.sideways.show(data.selected, this.columns[data.selected]?.head.root);
    const chosen = this.columns[data.selected];
    this.axis.update(chosen?.curve ? chosen : this.columns.find((column) => column.curve));
    this.asking.update();
    this.marking.update();
    if (this.step) this.horizon.show(this.step);
    this.markStep();
    this.drawn = data;
    // A stepper that was mounted before the text repeats its step event.
    if (countPainted(this.root) === 1) emit("seamark-ready", null);
  }

  // ---- links between the axis and the columns ---------------------------------------------------------------------

  /**
   * Highlight sentences. A single sentence has a gap on either side; two neighbours have one between them.
   * @param {number[]} sentences
   */
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

  /** @param {Range[]} ranges */
  markRanges(ranges) {
    this.mark([]);
    this.near = ranges.flatMap((range) => this.columns.flatMap((column) => column.spansBetween(...range)));
    for (const node of this.near) node.classList.add("near");
  }

  /**
   * Scroll every column to a sentence, and highlight it.
   * @param {number} sentence
   * @param {number} [last] of the sentences after it that are to be in sight too, if there is room
   */
  jump(sentence, last = sentence) {
    const target = Math.max(0, Math.min(this.sentences - 1, sentence));
    uncover(this.root);
    for (const column of this.columns) column.flash(target);
    this.keep({}, () => {
      this.scrollColumns(target, last);
      const [span] = this.lead?.spansOf(target) ?? [];
      if (span) bringIntoWindow(span, this.root);
    });
    this.axis.window.reveal(target);
    this.mark([target]);
  }

  /**
   * @param {number} first
   * @param {number} last
   */
  scrollColumns(first, last) {
    for (const column of this.columns) {
      column.scrollTo(first, BELOW_THE_EDGE);
      column.scrollThrough(first, last);
    }
  }

  /**
   * Scroll columns that had no text to the position of the others, or all of them, now narrower, to the disagreement.
   * @param {Set<Column>} empty
   */
  align(empty) {
    const { at } = this.disagreements;
    const shown = this.columns.find((column) => column.segments && !empty.has(column));
    const top = shown?.body.scrollTop ? shown.topmost() : null;
    const added = this.columns.filter((column) => column.segments && empty.has(column));
    if (!added.length) return;
    if (at !== undefined) {
      const [first, last = first] = sentencesAt(at);
      return this.keep({}, () => this.scrollColumns(first, last));
    }
    if (!top) return;
    this.keep({}, () => {
      for (const column of added) column.scrollTo(top.sentence, top.offset);
    });
  }

  // The column that the others follow: the one that the user is in, otherwise the first with text.
  get lead() {
    const { active } = this;
    return active?.segments && this.columns.includes(active) ? active : this.columns.find(({ segments }) => segments);
  }

  /** @param {number} place of the text, which is to stand at the top of every column */
  scrollToPlace(place) {
    for (const column of this.columns) column.scrollToPlace(Math.max(0, Math.min(this.sentences, place)));
  }

  // ---- the heads ----------------------------------------------------------------------------------------------------

  /** @param {boolean} open whether the heads show their details: all of them, to be compared */
  showDetails(open) {
    this.detailed = open;
    for (const { head } of this.columns) head.unfold(open);
  }

  /**
   * Tell the other components which gap the user chose, on the curve or by the sentence before it.
   * @param {number} gap
   */
  chose(gap) {
    emit("seamark-gap", { gap: Math.max(0, Math.min(this.sentences - 2, gap)) });
  }

  // ---- the step of a stepper --------------------------------------------------------------------------------------

  /** @param {Mark} step */
  showStep(step) {
    this.step = step;
    this.keeping = null;
    if (!this.source) return;
    this.horizon.show(step);
    this.markStep();
    if (step.gap !== null) {
      this.axis.window.reveal(step.gap + 1);
      this.axis.point(step.gap + 1, [step.gap]);
    }
    const sentence = (step.next ?? step.growing)?.[0];
    // Hovering does not scroll the text.
    if (sentence === undefined || step.still) return;
    this.keep(step, () => {
      for (const column of this.columns) column.keepInSight(sentence);
    });
    const [span] = this.columns[0]?.spansOf(sentence) ?? [];
    if (span && !step.arriving) bringIntoWindow(span, span);
  }

  /**
   * Scroll now and in the next frames, unless another scroll begins: groups that come into view, and the blocks in them, get
   * their real height a frame or two later.
   * @param {object} what
   * @param {() => void} scroll
   */
  keep(what, scroll, frames = 4) {
    this.keeping = what;
    scroll();
    if (frames) requestAnimationFrame(() => this.keeping === what && this.keep(what, scroll, frames - 1));
    else this.keeping = null;
  }

  markStep() {
    const marked = new Map();
    for (const name of MARKED) {
      const range = this.step?.[name];
      if (range) for (const node of this.columns.flatMap((column) => column.spansBetween(...range))) marked.set(node, name);
    }
    for (const [node, name] of this.stepped) if (marked.get(node) !== name) node.classList.remove(name);
    for (const [node, name] of marked) node.classList.add(name);
    this.stepped = marked;
  }

  /** @param {Column} column */
  follow(column) {
    // The scroll applies to every column.
    if (this.active !== column || this.following || this.keeping) return;
    this.following = requestAnimationFrame(() => {
      this.following = null;
      const top = column.topmost();
      if (top) for (const other of this.columns) if (other !== column) other.scrollTo(top.sentence, top.offset);
    });
  }
}
