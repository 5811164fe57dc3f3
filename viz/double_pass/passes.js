// A double pass on one axis of sentences: the sentences, the result of pass one, the result of pass two, and another chunker's
// chunks. Pointer and keys move along the decisions, and from there to the text and the stepper.

import { emit, listen } from "../components/shared/bus.js";
import { el, firstWhere, isDark, liveRegion } from "../components/shared/dom.js";
import { ZoomWindow } from "../components/shared/zoom_window.js";
import { PassRows } from "./pass_rows.js";

const AT_FIRST = 32; // sentences shown at first of a text of more than MOST
const MOST = 48; // sentences up to which all are shown at first

export default function (component) {
  const root = component.parentElement.querySelector(".passes");
  const passes = (root.passes ??= new Passes(root));
  passes.update(component.data);
  return () => passes.dispose();
}

const range = (first, last) => (last - first === 1 ? `sentence ${first + 1}` : `sentences ${first + 1} to ${last}`);

class Passes {
  constructor(root) {
    this.root = root;
    this.title = root.appendChild(el("h1"));
    this.summary = root.appendChild(el("p", "summary"));
    this.message = root.appendChild(el("div", "message"));
    this.body = root.appendChild(el("div"));
    const bar = this.body.appendChild(el("div", "bar"));
    this.legend = bar.appendChild(el("span", "legend"));
    const frame = this.body.appendChild(el("div", "rows"));
    this.rows = new PassRows(frame);
    this.window = new ZoomWindow(frame, frame, () => this.data && this.draw());
    bar.append(this.window.buttons);
    this.buildSave();
    this.said = this.body.appendChild(el("div", "said"));
    this.body.insertBefore(this.window.whole, this.said);
    this.live = liveRegion(root);
    this.hearPointer(frame);
    frame.addEventListener("keydown", (event) => this.key(event));
    this.observer = new ResizeObserver(() => this.window.redraw());
    this.observer.observe(root);
    this.dispose = listen(root, { "seamark-step": (step) => this.showStep(step) }, () => this.observer.disconnect());
  }

  buildSave() {
    const save = this.window.buttons.appendChild(el("button", "", "SVG"));
    save.title = "Save the rows as SVG";
    save.setAttribute("aria-label", save.title);
    save.addEventListener("click", () => this.download());
  }

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
    this.made = data.made;
    this.data = data.made ? JSON.parse(data.made) : null;
    if (!this.data) return;
    const { count, comparisons } = this.data;
    if (this.source !== data.source) {
      this.source = data.source;
      this.item = null;
      this.window.reset(Math.max(1, count), count > MOST ? AT_FIRST : Math.max(1, count));
    }
    const deciding = comparisons.map((one, number) => ({ ...one, number })).filter((one) => one.decides);
    this.levels = [deciding.filter((one) => one.pass === 1), deciding.filter((one) => one.pass === 2)];
    const words = this.levels.map((level) => `${level.filter((one) => one.outcome === "joined").length} of ${level.length}`);
    this.rows.root.setAttribute("aria-label", `The two passes: pass one joined ${words[0]}, pass two ${words[1]}. Left and right go along the decisions, up and down from pass to pass, Enter shows one in the text.`);
    this.rows.update(this.data, this.levels, this.window);
    this.legend.replaceChildren(...this.rows.legend());
    this.draw();
    // A stepper that was mounted before the rows repeats its step.
    if (first) emit("seamark-ready", null);
    this.root.dataset.painted = String(Number(this.root.dataset.painted ?? 0) + 1);
  }

  draw() {
    this.rows.draw();
    this.rows.drawStep(this.step);
    this.rows.drawItem(this.item);
    this.window.drawControls();
  }

  showStep(step) {
    this.step = step;
    if (!this.data) return;
    if (step.gap !== null) this.window.reveal(step.gap + 1);
    this.rows.drawStep(step);
  }

  download() {
    const link = el("a");
    const picture = this.rows.picture(getComputedStyle(this.root).getPropertyValue("--page"));
    link.href = URL.createObjectURL(new Blob([picture], { type: "image/svg+xml" }));
    link.download = "seamark-double-pass.svg";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  // ---- the item under the pointer, or chosen by keyboard --------------------------------------------------------------

  // Describe an item, which is a block of a row or a comparison, by its sentences and in words.
  describe(item) {
    const { data } = this;
    if (item.comparison !== undefined) {
      const one = data.comparisons[item.comparison];
      return { ranges: [one.compared, one.right], words: one.words, sentence: one.right[0], step: item.comparison };
    }
    const { row, at } = item;
    if (row === "sentences") return { ranges: [[at, at + 1]], words: `Sentence ${at + 1}.`, sentence: at };
    const starts = data[row];
    const [first, last] = [Math.floor(starts[at]), Math.ceil(starts[at + 1] ?? data.count)];
    const snippet = row === "minis" && data.snippets.includes(first) ? ", a snippet that pass two merged over" : "";
    return { ranges: [[first, last]], words: `${data.names[row]} ${at + 1}: ${range(first, last)}${snippet}.`, sentence: first };
  }

  choose(item, aloud = false) {
    if (JSON.stringify(item) === JSON.stringify(this.item)) return;
    this.item = item;
    const told = item ? this.describe(item) : { ranges: [], words: "" };
    this.said.textContent = told.words;
    if (aloud) this.live.textContent = told.words;
    this.rows.drawItem(item);
    emit("seamark-mark", { ranges: told.ranges });
  }

  // Go to it in the text and in the stepper.
  go(item) {
    const { sentence, step } = this.describe(item);
    emit("seamark-jump", { sentence });
    if (step !== undefined) emit("seamark-go", { at: step });
  }

  // ---- pointer and keys -----------------------------------------------------------------------------------------------

  itemAt(event) {
    const { dataset } = event.target;
    if (dataset?.comparison) return { comparison: Number(dataset.comparison) };
    return dataset?.row ? { row: dataset.row, at: Number(dataset.at) } : null;
  }

  hearPointer(frame) {
    frame.addEventListener("pointermove", (event) => this.window.held || this.choose(this.itemAt(event)));
    frame.addEventListener("pointerleave", () => this.choose(null));
    frame.addEventListener("click", (event) => {
      const item = this.itemAt(event);
      if (item) this.go(item);
    });
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.data) return;
    const chosen = this.next(event.key);
    if (event.key === "Enter" && this.item) this.go(this.item);
    else if (chosen === undefined && !this.window.key(event)) return;
    event.preventDefault();
    event.stopPropagation();
    if (!chosen) return;
    this.window.reveal(chosen.left[1]);
    this.choose({ comparison: chosen.number }, true);
  }

  // The decision that a key leads to: null if there is none in that direction, undefined if the key is not one of these.
  next(key) {
    const at = this.item?.comparison;
    const level = at === undefined ? (this.levels[1].length ? 1 : 0) : this.data.comparisons[at].pass - 1;
    const walk = this.levels[level];
    const here = at === undefined ? -1 : walk.findIndex((one) => one.number === at);
    const to = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: walk.length - 1 }[key];
    if (to !== undefined) return walk[Math.max(0, Math.min(walk.length - 1, to))] ?? null;
    const other = { ArrowUp: 0, ArrowDown: 1 }[key];
    if (other === undefined) return undefined;
    if (other === level && at !== undefined) return null;
    const gap = at === undefined ? 0 : this.data.comparisons[at].left[1];
    const across = this.levels[other];
    return across[Math.min(across.length - 1, firstWhere(across.length, (one) => across[one].left[1] >= gap))] ?? null;
  }
}
