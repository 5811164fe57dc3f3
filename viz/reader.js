// The linked reader. Text reaches the page through textContent and attributes alone.
// Hovering, scrolling and dragging stay here; the server hears of a line when it is let go, and of a chosen column.

const el = (tag, className = "", text) => {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
};
// The numbers are the order of chunkers.Verdict: cut, kept, rejected, forced, merged.
const isCut = (verdict) => verdict === 0 || verdict === 3;
const round = (value) => (Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2)).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
const capital = (word) => word[0].toUpperCase() + word.slice(1);
// The first of `count` numbers from 0 on for which `holds` holds, given that it holds for all after it; `count` if for none.
const firstWhere = (count, holds) => {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
};

export default function (component) {
  const root = component.parentElement.querySelector(".seamark");
  const reader = (root.reader ??= new Reader(root));
  reader.update(component);
  return () => reader.rest();
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
    this.live = root.appendChild(el("div", "hidden"));
    this.live.setAttribute("aria-live", "polite");
    this.columns = [];
    this.near = [];
    this.active = null;
    this.observer = new ResizeObserver(() => this.text !== undefined && this.axis.draw());
    this.observer.observe(root);
    this.onText = () => this.component && this.update(this.component);
    globalThis.addEventListener("seamark-text", this.onText);
    root.addEventListener("pointerleave", () => this.mark([]));
  }

  rest() {
    // Streamlit calls this between updates too: only a reader that left the page lets go of its listeners.
    setTimeout(() => {
      if (this.root.isConnected) return;
      globalThis.removeEventListener("seamark-text", this.onText);
      this.observer.disconnect();
    }, 1000);
  }

  update(component) {
    this.component = component;
    const data = (this.data = component.data);
    const source = globalThis.seamarkTexts?.get(data.source);
    this.root.dataset.theme = isDark(this.root) ? "dark" : "light";
    this.title.textContent = data.title;
    this.summary.textContent = data.summary;
    if (source === undefined) return;
    const known = String(data.known);
    if (this.source !== source || this.known !== known) {
      this.source = source;
      this.known = known;
      ({ text: this.text, starts: this.starts, ends: this.ends } = source);
      this.sentences = this.starts.length;
      for (const column of this.columns) column.reset();
      this.axis.reset();
    }
    this.missed = new Set(data.known ?? []);
    this.root.style.setProperty("--count", data.columns.length);
    while (this.columns.length > data.columns.length) this.columns.pop().remove();
    while (this.columns.length < data.columns.length) this.columns.push(new Column(this, this.columns.length));
    this.columns.forEach((column, index) => column.update(data.columns[index], index === data.selected));
    const chosen = this.columns[data.selected];
    this.axis.update(chosen?.curve ? chosen : this.columns.find((column) => column.curve));
    this.root.dataset.painted = String(Number(this.root.dataset.painted ?? 0) + 1);
  }

  // ---- links between the axis and the columns ---------------------------------------------------------------------

  mark(sentences, at = sentences.length ? sentences[0] + 0.5 : undefined) {
    for (const node of this.near) node.classList.remove("near");
    this.near = sentences.flatMap((sentence) => this.columns.flatMap((column) => column.spansOf(sentence)));
    for (const node of this.near) node.classList.add("near");
    this.axis.point(at);
  }

  jump(sentence) {
    const target = Math.max(0, Math.min(this.sentences - 1, sentence));
    for (const column of this.columns) column.scrollTo(target, 60, true);
    this.axis.reveal(target);
    this.mark([target]);
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

function isDark(root) {
  const colour = getComputedStyle(root).getPropertyValue("--st-background-color").trim();
  const parts = colour.startsWith("#") ? [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)) : colour.match(/\d+/g)?.map(Number);
  return parts ? 0.3 * parts[0] + 0.6 * parts[1] + 0.1 * parts[2] < 128 : matchMedia("(prefers-color-scheme: dark)").matches;
}
