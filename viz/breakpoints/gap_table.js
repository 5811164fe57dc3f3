// The table of gaps. Only visible rows are drawn; sorting, filtering and navigation happen in the browser.

import { emit, listen, NOTHING } from "../components/shared/bus.js";
import { countPainted, expose } from "../components/shared/component_handle.js";
import { actButton, around, el, found, liveRegion } from "../components/shared/dom.js";
import { decimals, grouped, signed } from "../components/shared/format.js";
import { verdictOfEach } from "../components/shared/gap_verdicts.js";
import { storedText } from "../components/shared/store.js";
import { filterOptions, filterRows, rowOfKey, sortRows } from "./gap_order.js";

const HEIGHT = 46; // pixels per row, as in the style sheet
const BEYOND = 6; // rows drawn above and below the visible ones

/**
 * @import { Range } from "../components/shared/bus.js"
 * @import { Component } from "../components/shared/component.d.ts"
 * @import { Verdicts } from "../shell/card/verdicts.data.d.ts"
 * @import { Sort } from "./gap_order.js"
 * @import { GapRows, GapTableData, StandingData } from "./gap_table.data.d.ts"
 */

/** @type {[by: Sort["by"], words: string, help: string][]} */
const HEADS = [
  ["gap", "gap", "By place"],
  ["score", "score", "By score"],
  ["away", "from line", "By distance from the line, the nearest first"],
  ["verdict", "verdict", "By verdict"],
];

/** @param {Component<GapTableData>} component */
export default function (component) {
  const root = /** @type {HTMLElement & { table?: GapTable }} */ (found(component.parentElement, ".ledger"));
  root.table ??= new GapTable(root);
  const { table } = root;
  table.update(component.data);
  return () => table.dispose();
}

class GapTable {
  /** @type {GapTableData | null} */ data = null;
  /** @type {GapRows & { standing: StandingData[] } | null} */ made = null; // and the verdict of every gap
  body = ""; // what the rows are made of
  /** @type {Sort} */ sort = { by: "gap", falling: false };
  /** @type {number[]} */ order = []; // the rows that are shown
  /** @type {Map<number, number>} */ places = new Map(); // of each row in that order
  /** @type {number | null} */ chosen = null;
  /** @type {number | null} */ frame = null;
  /** @type {Verdicts | null} */ answer = null; // the server's answer about a gap of these rows

  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    const sieve = root.appendChild(el("div", "sieve"));
    this.verdict = sieve.appendChild(el("select"));
    this.words = sieve.appendChild(el("input"));
    this.words.type = "search";
    this.words.placeholder = "words in the reason or the text";
    this.verdict.ariaLabel = "Show gaps that are";
    this.words.ariaLabel = "Show gaps with these words";
    this.verdict.addEventListener("change", () => this.sift());
    this.words.addEventListener("input", () => this.sift());
    this.counted = root.appendChild(el("div", "counted"));
    this.counted.role = "status";
    this.grid = root.appendChild(el("div"));
    this.grid.role = "grid";
    this.grid.ariaLabel = "Gaps";
    const heads = this.grid.appendChild(el("div", "line heads"));
    heads.role = "row";
    this.heads = HEADS.map(([by, words, help]) => {
      const head = heads.appendChild(el("span"));
      head.role = "columnheader";
      const button = head.appendChild(el("button", "", words));
      button.title = help;
      button.addEventListener("click", () => {
        this.sort = { by, falling: this.sort.by === by && !this.sort.falling };
        this.sift();
      });
      return { by, head, button };
    });
    this.rows = this.grid.appendChild(el("div", "rows"));
    this.rows.tabIndex = 0;
    this.rows.role = "rowgroup";
    this.rows.ariaLabel = "Gaps: up and down go from row to row, Enter leads to the text";
    this.room = this.rows.appendChild(el("div"));
    const drawSoon = () => {
      this.frame ??= requestAnimationFrame(() => this.draw());
    };
    this.rows.addEventListener("scroll", drawSoon, { passive: true });
    this.rows.addEventListener("click", (event) => {
      const row = around(event, ".row");
      if (row) this.lead(Number(row.dataset.entry));
    });
    this.rows.addEventListener("keydown", (event) => this.key(event));
    this.change = root.appendChild(el("p", "change"));
    this.live = liveRegion(root);
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.rows);
    const leave = () => {
      this.observer.disconnect();
      // Remove its marks from the text, unless another component has marked something since.
      if (globalThis.seamarkStepper === this) emit("seamark-step", NOTHING);
    };
    this.dispose = listen(
      root,
      {
        "seamark-gap": ({ gap }) => this.follow(gap),
        "seamark-text": () => this.sift(),
        "seamark-verdicts": (answer) => this.hear(answer),
      },
      leave,
    );
    expose(root, this.handle());
  }

  /** @param {GapTableData} data */
  update(data) {
    this.data = data;
    if (this.body !== data.rows) {
      this.body = data.rows;
      /** @type {GapRows} */
      const rows = JSON.parse(data.rows);
      this.made = { ...rows, standing: verdictOfEach(rows) };
    }
    for (const { by, button } of this.heads) {
      if (by !== "score") continue;
      button.textContent = data.score.split(" ")[0];
      button.title = `By ${data.score}`;
    }
    if (this.made) this.offer(this.made);
    this.sift();
    this.drawChange();
    countPainted(this.root);
  }

  /** @param {Parameters<typeof filterOptions>[0]} made */
  offer(made) {
    const before = this.verdict.value;
    const options = filterOptions(made);
    this.verdict.replaceChildren(
      ...options.map(([value, words]) => {
        const option = el("option", "", words);
        option.value = value;
        return option;
      }),
    );
    this.verdict.value = options.some(([value]) => value === before) ? before : "";
  }

  sift() {
    const { data, made } = this;
    if (!made || !data) return;
    const { gaps, standing, near } = made;
    this.order = filterRows(made, this.verdict.value, this.words.value, (entry) => this.sentences(entry).join(" "));
    sortRows(this.order, made, made.verdicts, this.sort);
    const { by, falling } = this.sort;
    this.places = new Map(this.order.map((entry, place) => [entry, place]));
    for (const { by: name, head } of this.heads) {
      head.setAttribute("aria-sort", name === by ? (falling ? "descending" : "ascending") : "none");
    }
    const shown = this.order.length === gaps.length ? "" : `${grouped(this.order.length)} of `;
    const cut = grouped(standing.filter((verdict) => verdict.cut).length);
    this.counted.textContent = `${shown}${grouped(gaps.length)} gaps · ${cut} cut · ≈ ${grouped(near.filter(Boolean).length)} near the line`;
    this.grid.setAttribute("aria-rowcount", String(this.order.length + 1));
    this.draw();
  }

  /**
   * Return the sentences on both sides of a row's gap, or the sentence that contains it.
   * @param {number} entry
   */
  sentences(entry) {
    const source = this.data && storedText(this.data.source);
    if (!source || !this.made) return [];
    const { text, starts, ends } = source;
    const gap = this.made.gaps[entry];
    return [gap, gap + 1]
      .slice(0, this.made.inside[entry] ? 1 : 2)
      .map((sentence) => text.slice(starts[sentence], ends[sentence]).replace(/\s+/g, " "));
  }

  draw() {
    const { data, made } = this;
    this.frame = null;
    if (!data || !made) return;
    this.room.style.height = `${this.order.length * HEIGHT}px`;
    const first = Math.max(0, Math.floor(this.rows.scrollTop / HEIGHT) - BEYOND);
    const last = Math.min(this.order.length, Math.ceil((this.rows.scrollTop + this.rows.clientHeight) / HEIGHT) + BEYOND);
    const drawn = [];
    for (let place = first; place < last; place++) drawn.push(this.row(made, this.order[place], place));
    if (!this.order.length)
      drawn.push(el("div", "nothing", made.gaps.length ? "No gap matches." : "One sentence has no gaps."));
    this.room.replaceChildren(...drawn);
    const seen = this.places.get(this.chosen ?? -1) ?? -1;
    if (seen >= first && seen < last) this.rows.setAttribute("aria-activedescendant", `gap-${this.chosen}`);
    else this.rows.removeAttribute("aria-activedescendant");
  }

  /**
   * @param {GapRows & { standing: StandingData[] }} made
   * @param {number} entry
   * @param {number} place among those shown
   */
  row({ gaps, scores, away, standing, near, reasons, inside }, entry, place) {
    const verdict = standing[entry];
    const { cut } = verdict;
    const row = el("div", `row${cut ? " cut" : ""}${near[entry] ? " near" : ""}${entry === this.chosen ? " chosen" : ""}`);
    row.id = `gap-${entry}`;
    row.dataset.entry = String(entry);
    row.style.top = `${place * HEIGHT}px`;
    row.setAttribute("role", "row");
    row.setAttribute("aria-rowindex", String(place + 2));
    row.setAttribute("aria-selected", String(entry === this.chosen));
    const line = row.appendChild(el("div", "line"));
    const words = el("span", "standing");
    // The same signs as on the curve: cut, kept, changed by a size.
    const sign = words.appendChild(el("span", "sign", verdict.overruled ? "◆" : cut ? "●" : "○"));
    sign.setAttribute("aria-hidden", "true");
    words.append(verdict.standing);
    const [score, distance] = [scores[entry], away[entry]];
    const fromLine = el("span", "away", distance === null ? "–" : signed(distance));
    if (near[entry]) fromLine.title = "near the line";
    line.append(
      el("span", "", String(gaps[entry] + 1) + (inside[entry] ? "*" : "")),
      el("span", "", score === null ? "–" : decimals(score, 3)),
      fromLine,
      words,
    );
    for (const cell of line.children) cell.setAttribute("role", "gridcell");
    const [left, right] = this.sentences(entry);
    const around =
      left === undefined ? "" : right === undefined ? ` · “${left}”` : ` · “…${left.slice(-28)} ¦ ${right.slice(0, 60)}”`;
    const reason = row.appendChild(el("div", "said", reasons[entry] + around));
    reason.setAttribute("role", "gridcell");
    row.title = [reasons[entry], left, right].filter(Boolean).join("\n");
    return row;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const page = Math.max(1, Math.floor(this.rows.clientHeight / HEIGHT) - 1);
    const here = this.places.get(this.chosen ?? -1) ?? -1;
    const to = rowOfKey(event.key, here, this.order.length, page);
    if (event.key === "Enter" && this.chosen !== null && here >= 0) this.lead(this.chosen);
    else if (to !== undefined) this.choose(this.order[to], true);
    else return;
    event.preventDefault();
  }

  /** @param {number} entry */
  choose(entry, aloud = false) {
    this.chosen = entry;
    const place = this.places.get(entry);
    if (place !== undefined) {
      const top = place * HEIGHT;
      if (top < this.rows.scrollTop) this.rows.scrollTop = top;
      else if (top + HEIGHT > this.rows.scrollTop + this.rows.clientHeight)
        this.rows.scrollTop = top + HEIGHT - this.rows.clientHeight;
    }
    this.draw();
    this.drawChange();
    const { made } = this;
    if (!aloud || !made) return;
    this.live.textContent = `Gap ${grouped(made.gaps[entry] + 1)}: ${made.standing[entry].standing}, ${made.reasons[entry]}`;
  }

  /**
   * Go to the text, and mark both sides of the gap there.
   * @param {number} entry
   */
  lead(entry) {
    this.choose(entry, true);
    if (!this.made) return;
    const gap = this.made.gaps[entry];
    /** @type {Range | null} */
    const next = this.made.inside[entry] ? null : [gap + 1, gap + 2];
    globalThis.seamarkStepper = this;
    emit("seamark-jump", { sentence: gap });
    emit("seamark-step", { growing: [gap, gap + 1], next, middle: null, gap });
    // Inside sentences size limits decide, which no single setting would change.
    if (!this.made.inside[entry]) emit("seamark-place", { at: gap + 1, press: false });
  }

  /** @param {Verdicts} answer */
  hear(answer) {
    this.answer = answer;
    this.drawChange();
  }

  // The change that would reverse the selected gap's verdict, if known, as a button that previews its other effects.
  drawChange() {
    const { answer, change, data, made } = this;
    const gap = this.chosen === null || made?.inside[this.chosen] ? null : made?.gaps[this.chosen];
    const at = gap == null ? null : gap + 1;
    const stands = answer !== null && answer.at === at && answer.hashes[0] === data?.hash;
    const wanted = stands ? answer.cells[0]?.change : null;
    const words = wanted ? `Gap ${grouped(Number(at))}, ${wanted.margin ? `${wanted.margin}: ` : ""}` : "";
    const now = wanted ? `${words}${wanted.words}` : "";
    if (change.dataset.drawn === now) return;
    change.dataset.drawn = now;
    if (!wanted) return change.replaceChildren();
    const would = actButton(wanted.words, "would", () => at !== null && emit("seamark-place", { at, press: true }));
    would.title = "Show what else it changes";
    change.replaceChildren(words, would);
  }

  /**
   * Follow a gap chosen in the text or on the curve.
   * @param {number} gap
   */
  follow(gap) {
    const entry = this.made?.gaps.indexOf(gap) ?? -1;
    if (entry < 0) return;
    if (!this.places.has(entry)) this.live.textContent = `Gap ${grouped(gap + 1)} is not shown.`;
    this.choose(entry);
    globalThis.seamarkStepper = this;
    emit("seamark-step", NOTHING);
  }

  handle() {
    const table = this;
    return {
      get gaps() {
        return table.made?.gaps.length ?? 0;
      },
      get shown() {
        return table.order.length;
      },
      get chosen() {
        return table.chosen === null ? null : (table.made?.gaps[table.chosen] ?? null);
      },
    };
  }
}
