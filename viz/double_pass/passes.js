// A double pass on one axis of sentences: the sentences, the result of pass one, the result of pass two, and another
// chunker's chunks. Pointer and keys move along the decisions, and from there to the text and the stepper.

import { emit, listen } from "../components/shared/bus.js";
import { countPainted, expose } from "../components/shared/component_handle.js";
import { el, firstWhere, found, isDark, liveRegion, saveAs } from "../components/shared/dom.js";
import { grouped } from "../components/shared/format.js";
import { ZoomWindow } from "../components/shared/zoom_window.js";
import { legendOf } from "./arcs.js";
import { PassRows } from "./pass_rows.js";

const AT_FIRST = 32; // sentences shown at first of a text of more than MOST
const MOST = 48; // sentences up to which all are shown at first

/**
 * @import { Limit } from "./pass_rows.js"
 * @import { Mark, Range } from "../components/shared/bus.js"
 * @import { Component } from "../components/shared/component.d.ts"
 * @import { Numbered } from "./arcs.js"
 * @import { Item } from "./pass_rows.js"
 * @import { RowName } from "./rows.d.ts"
 * @import { PassesData, PassRowsData } from "./passes.data.d.ts"
 */

/** @param {Component<PassesData>} component */
export default function (component) {
  const root = /** @type {HTMLElement & { passes?: Passes }} */ (found(component.parentElement, ".passes"));
  root.passes ??= new Passes(root);
  const { passes } = root;
  passes.update(component.data);
  return () => passes.dispose();
}

/** @param {Range} range */
const named = ([first, last]) =>
  last - first === 1 ? `sentence ${grouped(first + 1)}` : `sentences ${grouped(first + 1)} to ${grouped(last)}`;

class Passes {
  made = ""; // what the rows were drawn of
  /** @type {PassRowsData | null} */ data = null;
  source = "";
  /** @type {[one: Numbered[], two: Numbered[]]} */ levels = [[], []]; // the comparisons that decide, by their pass
  /** @type {Item | null} */ item = null; // under the pointer, or chosen by keyboard
  /** @type {Mark | undefined} */ step;

  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.title = root.appendChild(el("h1"));
    this.summary = root.appendChild(el("p", "summary"));
    this.message = root.appendChild(el("div", "message"));
    this.body = root.appendChild(el("div"));
    const bar = this.body.appendChild(el("div", "bar"));
    this.legend = bar.appendChild(el("span", "legend"));
    const frame = this.body.appendChild(el("div", "rows"));
    this.window = new ZoomWindow(frame, frame, () => this.draw());
    this.rows = new PassRows(frame, this.window);
    bar.append(this.window.buttons);
    this.buildSave();
    this.description = this.body.appendChild(el("div", "said"));
    this.body.insertBefore(this.window.whole, this.description);
    this.live = liveRegion(root);
    this.hearPointer(frame);
    frame.addEventListener("keydown", (event) => this.key(event));
    this.observer = new ResizeObserver(() => this.window.redraw());
    this.observer.observe(root);
    this.dispose = listen(root, { "seamark-step": (step) => this.showStep(step) }, () => this.observer.disconnect());
    expose(root, this.handle());
  }

  buildSave() {
    const save = this.window.buttons.appendChild(el("button", "", "SVG"));
    save.title = "Save the rows as SVG";
    save.setAttribute("aria-label", save.title);
    save.addEventListener("click", () => this.download());
  }

  /** @param {PassesData} data */
  update(data) {
    this.root.dataset.theme = isDark(this.root) ? "dark" : "light";
    this.title.textContent = data.title;
    this.summary.textContent = data.summary;
    this.message.textContent = data.message;
    this.message.className = `message ${data.tone}`;
    this.message.style.display = data.message ? "" : "none";
    this.body.style.display = data.made ? "" : "none";
    if (this.made === data.made && this.source === data.source) return;
    const first = !this.data;
    const told = this.told();
    this.made = data.made;
    this.data = data.made ? JSON.parse(data.made) : null;
    // Other settings give other comparisons and blocks, so the index of the selected one is no longer valid.
    if (this.source !== data.source || JSON.stringify(told) !== JSON.stringify(this.told())) this.choose(null);
    if (!this.data) return;
    const { count, comparisons } = this.data;
    if (this.source !== data.source) {
      this.source = data.source;
      this.window.reset(Math.max(1, count), count > MOST ? AT_FIRST : Math.max(1, count));
    }
    const deciding = comparisons.map((comparison, number) => ({ ...comparison, number })).filter(({ decides }) => decides);
    this.levels = [deciding.filter(({ pass }) => pass === 1), deciding.filter(({ pass }) => pass === 2)];
    const words = this.levels.map(
      (level) => `${grouped(level.filter(({ outcome }) => outcome === "joined").length)} of ${grouped(level.length)}`,
    );
    this.rows.root.setAttribute(
      "aria-label",
      `The two passes: pass one joined ${words[0]}, pass two ${words[1]}. Left and right go along the decisions, up and down from pass to pass, Enter shows one in the text.`,
    );
    this.rows.update(this.data, this.levels);
    this.legend.replaceChildren(...legendOf(this.levels.flat()));
    this.draw();
    // A stepper that was mounted before the rows repeats its step.
    if (first) emit("seamark-ready", null);
    countPainted(this.root);
  }

  draw() {
    if (!this.data) return;
    this.rows.limit = limitOf(this.data.comparisons, this.step);
    this.root.classList.toggle("building", this.rows.limit.chunks < Infinity);
    this.rows.draw();
    this.rows.drawStep(this.step);
    this.rows.drawItem(this.item);
    this.window.drawControls();
  }

  /** @param {Mark} step */
  showStep(step) {
    const drawn = this.step;
    this.step = step;
    if (!this.data) return;
    if (drawn?.horizon !== step.horizon || (step.horizon != null && drawn?.seen !== step.seen)) this.draw();
    if (step.gap !== null) this.window.reveal(step.gap + 1);
    this.rows.drawStep(step);
  }

  download() {
    const picture = this.rows.picture(getComputedStyle(this.root).getPropertyValue("--page"));
    saveAs(new Blob([picture], { type: "image/svg+xml" }), "seamark-double-pass.svg");
  }

  // ---- the item under the pointer, or chosen by keyboard --------------------------------------------------------------

  /**
   * Describe an item by its sentences and in words; a comparison is also a step of the stepper.
   * @param {PassRowsData} data
   * @param {Item} item
   * @returns {{ ranges: Range[], words: string, sentence: number, step?: number } | null} null where there is no such item
   */
  describe(data, item) {
    if ("comparison" in item) {
      const comparison = data.comparisons[item.comparison];
      if (!comparison) return null;
      const { compared, right, words } = comparison;
      return { ranges: [compared, right], words, sentence: right[0], step: item.comparison };
    }
    const { row, at } = item;
    if (row === "sentences") return { ranges: [[at, at + 1]], words: `Sentence ${grouped(at + 1)}.`, sentence: at };
    const starts = data[row] ?? [];
    const [first, last] = [Math.floor(starts[at]), Math.ceil(starts[at + 1] ?? data.count)];
    const snippet = row === "minis" && data.snippets.includes(first) ? ", a snippet that pass two merged over" : "";
    return {
      ranges: [[first, last]],
      words: `${data.names[row]} ${at + 1}: ${named([first, last])}${snippet}.`,
      sentence: first,
    };
  }

  // The description of the item under the pointer, or chosen by keyboard.
  told() {
    return this.item && this.data ? this.describe(this.data, this.item) : null;
  }

  /** @param {Item | null} item */
  choose(item, aloud = false) {
    if (JSON.stringify(item) === JSON.stringify(this.item)) return;
    this.item = item;
    const { ranges, words } = this.told() ?? { ranges: [], words: "" };
    this.description.textContent = words;
    if (aloud) this.live.textContent = words;
    this.rows.drawItem(item);
    emit("seamark-mark", { ranges });
  }

  /**
   * Go to the item in the text and in the stepper.
   * @param {Item} item
   */
  go(item) {
    const told = this.data && this.describe(this.data, item);
    if (!told) return;
    emit("seamark-jump", { sentence: told.sentence });
    if (told.step !== undefined) emit("seamark-go", { at: told.step });
  }

  // ---- pointer and keys -----------------------------------------------------------------------------------------------

  /**
   * @param {MouseEvent} event
   * @returns {Item | null}
   */
  itemAt({ target }) {
    if (!(target instanceof SVGElement)) return null;
    const { comparison, row, at } = target.dataset;
    if (comparison) return { comparison: Number(comparison) };
    return row ? { row: /** @type {RowName} */ (row), at: Number(at) } : null;
  }

  /** @param {HTMLElement} frame */
  hearPointer(frame) {
    frame.addEventListener("pointermove", (event) => this.window.held || this.choose(this.itemAt(event)));
    frame.addEventListener("pointerleave", () => this.choose(null));
    frame.addEventListener("click", (event) => {
      const item = this.itemAt(event);
      if (item) this.go(item);
    });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.data) return;
    const chosen = nextDecision(event.key, this.levels, this.comparison());
    if (event.key === "Enter" && this.item) this.go(this.item);
    else if (chosen === undefined && !this.window.key(event)) return;
    event.preventDefault();
    event.stopPropagation();
    if (!chosen) return;
    this.window.reveal(chosen.left[1]);
    this.choose({ comparison: chosen.number }, true);
  }

  // The selected comparison, if any.
  comparison() {
    const { data, item } = this;
    return data && item && "comparison" in item ? { ...data.comparisons[item.comparison], number: item.comparison } : null;
  }

  handle() {
    const passes = this;
    return {
      get sentences() {
        return passes.data?.count ?? 0;
      },
      get window() {
        return passes.window.handle();
      },
    };
  }
}

/**
 * Return the part of the rows and arcs that is drawn at a step: comparisons by number, mini-chunks and chunks by sentences.
 * @param {Pick<PassRowsData["comparisons"][number], "pass" | "right">[]} comparisons
 * @param {Mark | undefined} step
 * @returns {Limit}
 */
export function limitOf(comparisons, step) {
  if (step?.horizon == null) return { comparisons: Infinity, minis: Infinity, chunks: Infinity };
  const seen = step.seen ?? Infinity;
  const first = comparisons.filter(({ pass }) => pass === 1);
  const made = first.slice(0, seen);
  // A sentence is in a mini-chunk once it has been compared with the previous one.
  const minis = seen >= first.length ? Infinity : (made.at(-1)?.right[1] ?? 1);
  return { comparisons: seen, minis, chunks: step.horizon };
}

/**
 * Return the decision to which a key moves from a comparison (or from none), along its pass or across to the other; null if
 * there is none in that direction, undefined for other keys.
 * @param {string} key
 * @param {[one: Numbered[], two: Numbered[]]} levels
 * @param {Numbered | null} from
 */
export function nextDecision(key, levels, from) {
  const level = from ? from.pass - 1 : levels[1].length ? 1 : 0;
  const walk = levels[level];
  const here = from ? walk.findIndex((comparison) => comparison.number === from.number) : -1;
  /** @type {Record<string, number>} */
  const along = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: walk.length - 1 };
  if (Object.hasOwn(along, key)) return walk[Math.max(0, Math.min(walk.length - 1, along[key]))] ?? null;
  if (key !== "ArrowUp" && key !== "ArrowDown") return undefined;
  const other = key === "ArrowUp" ? 0 : 1;
  if (from && other === level) return null;
  const gap = from ? from.left[1] : 0;
  const across = levels[other];
  return (
    across[
      Math.min(
        across.length - 1,
        firstWhere(across.length, (place) => across[place].left[1] >= gap),
      )
    ] ?? null
  );
}
