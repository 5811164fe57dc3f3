// A column of the reader: the chunker's head above its text, with what pointer and keys do there.

import { cutSentence } from "../shared/cut_sentence.js";
import { el } from "../shared/dom.js";
import { ColumnText } from "./column_text.js";

export class Column extends ColumnText {
  constructor(reader, index) {
    super(reader);
    this.index = index;
    this.head = reader.heads.appendChild(el("div", "head"));
    const activate = () => (reader.active = this);
    for (const event of ["pointerenter", "focus", "wheel", "touchstart"]) this.body.addEventListener(event, activate, { passive: true });
    this.body.addEventListener("scroll", () => reader.follow(this), { passive: true });
    this.body.addEventListener("pointermove", (event) => {
      const span = event.target.closest?.(".s");
      if (span) reader.mark([Number(span.dataset.s)]);
      this.markKin(event.target.closest?.(".block"));
    });
    this.body.addEventListener("pointerleave", () => this.markKin(null));
    this.body.addEventListener("click", (event) => {
      const span = event.target.closest?.(".s");
      if (span && !getSelection()?.toString()) {
        const box = this.body.getBoundingClientRect();
        const offset = span.getBoundingClientRect().top - box.top;
        for (const other of reader.columns) if (other !== this) other.scrollTo(Number(span.dataset.s), offset);
      }
    });
    this.body.addEventListener("keydown", (event) => {
      const step = { n: 1, p: -1 }[event.key];
      if (step && !event.ctrlKey && !event.metaKey) this.step(step);
    });
  }

  // Start over with another text.
  reset() {
    this.forget();
    this.hash = null;
  }

  remove() {
    this.head.remove();
    this.body.remove();
    this.blocks = [];
  }

  update(data, selected) {
    this.data = data;
    if (String(this.wrong) !== String(data.wrong)) {
      this.wrong = data.wrong;
      this.astray = new Set(data.wrong);
      this.updateAllSentences();
    }
    if (this.hash !== data.hash || !data.body) {
      this.made = data.body ? JSON.parse(data.body) : { segments: null, curve: null };
      this.hash = data.hash;
    } else if (!this.previewed) return this.drawHead(selected);
    this.previewed = false;
    this.curve = this.made.curve;
    this.draw(this.made.segments, data.message, data.tone);
    this.drawHead(selected);
  }

  drawHead(selected) {
    const { data, head, index } = this;
    head.classList.toggle("selected", selected);
    const choose = el("button", "choose");
    choose.append(el("span", "number", String(index + 1)), el("strong", "", data.title), el("i", "", data.subtitle));
    choose.setAttribute("aria-pressed", String(selected));
    choose.title = "Set this column in the side bar";
    choose.addEventListener("click", () => this.reader.component.setStateValue("selected", { column: index, at: performance.now() }));
    const list = el("dl");
    for (const [label, value, tone] of data.rows) list.append(el("dt", "", label), el("dd", tone, value));
    head.replaceChildren(choose, list, ...data.notes.map((note) => el("p", "note", note)));
    if (data.table.length) {
      const table = el("table");
      data.table.forEach((cells, row) => {
        const line = table.insertRow();
        cells.forEach((cell, place) => line.append(el(row === 0 || place === 0 ? "th" : "td", "", cell)));
      });
      head.append(table);
    }
    this.body.setAttribute("aria-label", `Column ${index + 1}, ${data.title}: ${this.segments ? `${this.segments.start.length} parts` : data.message}. n and p go from cut to cut.`);
  }

  // Draw the chunks that the candidate cuts would make, while the line moves; the server applies sizes afterwards.
  preview(cuts, level) {
    const { curve, reader } = this;
    this.previewed = true;
    this.draw(segmentsOf(reader.source, reader.data.known, curve, cuts, level));
  }
}

// The parts of a text as the server would send them, were it cut at the candidates alone: `cuts` says of every gap whether it
// is one, `known` are the offsets of known boundaries, or null.
export function segmentsOf({ starts, ends }, known, curve, cuts, level) {
  const boundaries = known && new Set(known);
  const made = { start: [], end: [], over: [], from: [], to: [], label: [], tone: [], split: [] };
  let first = 0;
  for (let last = 0; last < starts.length; last++) {
    if (last < starts.length - 1 && !cuts[last]) continue;
    const wrong = first > 0 && boundaries !== null && !boundaries.has(starts[first]);
    made.start.push(starts[first]);
    made.end.push(ends[last]);
    made.over.push([made.over.length]);
    made.from.push(first);
    made.to.push(last + 1);
    made.label.push(first ? cutSentence(curve, curve.scores[first - 1], level, wrong) : "chunk 1 begins");
    made.tone.push(wrong ? "wrong " : "");
    first = last + 1;
  }
  return made;
}
