// The head of a column: its number, name and settings, a line with the main facts, and the rest folded.

import { el } from "../../shared/dom.js";
import { counted, grouped, sixDigits } from "../../shared/format.js";

/**
 * @import { ColumnData, LineData, Segments } from "../payload.data.d.ts"
 * @import { Reader } from "../reader.js"
 */

export class Head {
  /** @type {ColumnData | null} */ data = null;

  /**
   * @param {Reader} reader
   * @param {number} index
   */
  constructor(reader, index) {
    this.root = reader.heads.appendChild(el("div", "head"));
    this.choose = this.root.appendChild(el("button", "choose"));
    this.choose.title = `Show the settings of this column (key ${index + 1})`;
    this.choose.addEventListener("click", () => {
      reader.component?.setStateValue("selected", { column: index, at: performance.now() });
    });
    this.title = el("strong");
    this.subtitle = el("i");
    this.choose.append(el("span", "number", String(index + 1)), this.title, " ", this.subtitle);
    const line = this.root.appendChild(el("div", "first"));
    this.brief = line.appendChild(el("span", "brief"));
    this.fold = line.appendChild(el("button", "fold"));
    this.fold.addEventListener("click", () => reader.showDetails(!reader.detailed));
    this.retrieved = this.root.appendChild(el("div", "found")); // what a question retrieves in the column
    this.remedies = this.root.appendChild(el("div", "remedies")); // what would keep an answer whole that is not
    this.remedies.hidden = true;
    this.more = this.root.appendChild(el("div", "more"));
  }

  /**
   * @param {ColumnData} data
   * @param {boolean} selected
   */
  update(data, selected) {
    this.data = data;
    this.root.classList.toggle("selected", selected);
    this.title.textContent = data.title;
    this.choose.setAttribute("aria-pressed", String(selected));
    this.settle();
    // The line above may be too short for all settings.
    const list = el("dl");
    if (data.subtitle) list.append(el("dt", "", "settings"), el("dd", "settings", data.subtitle));
    for (const [label, value, tone] of data.rows) list.append(el("dt", "", label), el("dd", tone, value));
    this.more.replaceChildren(list, ...data.notes.map((note) => el("p", "note", note)));
    if (data.table.length) {
      const table = el("table");
      data.table.forEach((cells, row) => {
        const line = table.insertRow();
        line.append(...cells.map((cell, place) => el(row === 0 || place === 0 ? "th" : "td", "", cell)));
      });
      this.more.append(table);
    }
  }

  /**
   * Show the details, or fold them.
   * @param {boolean} open
   */
  unfold(open) {
    const { rows, notes } = this.data ?? { rows: [], notes: [] };
    const noted = notes.length ? ` · ${counted(notes.length, "note")}` : "";
    const word = open ? "less" : `details${noted}`;
    this.fold.replaceChildren(el("span", "", `${word} `), open ? "▾" : "▸");
    this.fold.setAttribute("aria-label", word);
    this.fold.style.display = rows.length || notes.length ? "" : "none";
    this.fold.setAttribute("aria-expanded", String(open));
    this.more.hidden = !open;
  }

  /**
   * @param {string} subtitle
   * @param {ColumnData["brief"]} brief
   */
  show(subtitle, brief) {
    this.subtitle.textContent = subtitle;
    this.subtitle.title = subtitle;
    this.brief.replaceChildren(
      ...brief.flatMap(([words, tone, more = ""]) => {
        const span = el("span", tone, words);
        span.title = more;
        return [span, " "];
      }),
    );
  }

  // Show the server's result.
  settle() {
    if (this.data) this.show(this.data.subtitle, this.data.brief);
  }

  /**
   * Show the effect of the moving line; if only the server can determine it, say that it follows.
   * @param {LineData} line
   * @param {LineData} before as the server put it
   * @param {ColumnData["brief"] | null} brief
   */
  preview(line, before, brief) {
    if (!this.data) return;
    this.show(subtitleAt(this.data.subtitle, line, before.value), brief ?? [["chunks when you let go", ""]]);
  }
}

/**
 * Return the settings of a column while its line moves.
 * @param {string} subtitle as the server sent it
 * @param {Pick<LineData, "around" | "value">} line
 * @param {number} sent the line's amount there
 */
export function subtitleAt(subtitle, { around, value }, sent) {
  const at = (/** @type {number} */ amount) => around?.join(sixDigits(amount));
  return subtitle === at(sent) ? /** @type {string} */ (at(value)) : subtitle;
}

/**
 * Returns the text under the name while the line moves: a preview's chunks and, against known boundaries, its faults.
 * @param {Pick<Segments, "start" | "tone">} made
 * @param {number[] | null} known
 * @param {boolean} constrained whether sizes are still to be applied
 * @returns {ColumnData["brief"]}
 */
export function briefOf({ start, tone }, known, constrained) {
  const count = start.length;
  const chunks = `${counted(count, "chunk")}${constrained ? " before sizes" : ""}`;
  if (!known) return [[chunks, ""]];
  const added = tone.filter((kind) => kind === "wrong").length;
  const hits = Math.max(0, count - 1) - added;
  const missed = known.length - hits;
  if (missed || added)
    return [
      [chunks, ""],
      [`${grouped(missed)} missed, ${grouped(added)} added`, "wrong"],
    ];
  return [
    [chunks, ""],
    [hits ? `all ${grouped(hits)} found` : "one topic, not cut", ""],
  ];
}
