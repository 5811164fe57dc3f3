// The table of gaps. Only the rows in view are drawn; sorting, filtering and moving along the rows happen in the browser.

import { emit, listen, NOTHING } from "../components/shared/bus.js";
import { el, liveRegion } from "../components/shared/dom.js";
import { storedText } from "../components/shared/store.js";

const HEIGHT = 46; // pixels per row, as in the style sheet
const BEYOND = 6; // rows drawn above and below the visible ones
const signed = (value) => (value < 0 ? "−" : "+") + Math.abs(value).toFixed(3);

export default function (component) {
  const root = component.parentElement.querySelector(".ledger");
  const table = (root.table ??= new GapTable(root));
  table.update(component.data);
  return () => table.dispose();
}

class GapTable {
  constructor(root) {
    this.root = root;
    this.sort = { by: "gap", falling: false };
    this.order = [];
    this.chosen = null;
    const sieve = root.appendChild(el("div", "sieve"));
    this.verdict = sieve.appendChild(el("select"));
    this.verdict.setAttribute("aria-label", "Show gaps that are");
    this.words = sieve.appendChild(el("input"));
    this.words.type = "search";
    this.words.placeholder = "words in the reason or the text";
    this.words.setAttribute("aria-label", "Show gaps with these words");
    this.verdict.addEventListener("change", () => this.sift());
    this.words.addEventListener("input", () => this.sift());
    this.counted = root.appendChild(el("div", "counted"));
    this.counted.setAttribute("role", "status");
    const grid = root.appendChild(el("div"));
    grid.setAttribute("role", "grid");
    grid.setAttribute("aria-label", "Gaps");
    this.grid = grid;
    const heads = grid.appendChild(el("div", "line heads"));
    heads.setAttribute("role", "row");
    this.heads = {};
    for (const [by, words, help] of [["gap", "gap", "By place"], ["score", "score", "By score"], ["away", "from line", "By distance from the line, the nearest first"], ["verdict", "verdict", "By verdict"]]) {
      const head = heads.appendChild(el("span"));
      head.setAttribute("role", "columnheader");
      const button = head.appendChild(el("button", "", words));
      button.title = help;
      button.addEventListener("click", () => {
        this.sort = { by, falling: this.sort.by === by && !this.sort.falling };
        this.sift();
      });
      this.heads[by] = head;
    }
    this.rows = grid.appendChild(el("div", "rows"));
    this.rows.tabIndex = 0;
    this.rows.setAttribute("role", "rowgroup");
    this.rows.setAttribute("aria-label", "Gaps: up and down go from row to row, Enter leads to the text");
    this.room = this.rows.appendChild(el("div"));
    this.rows.addEventListener("scroll", () => (this.frame ??= requestAnimationFrame(() => this.draw())), { passive: true });
    this.rows.addEventListener("click", (event) => {
      const row = event.target.closest(".row");
      if (row) this.lead(Number(row.dataset.entry));
    });
    this.rows.addEventListener("keydown", (event) => this.key(event));
    this.live = liveRegion(root);
    const handlers = {
      "seamark-gap": ({ gap }) => this.follow(gap),
      "seamark-text": () => this.sift(),
    };
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.rows);
    this.dispose = listen(root, handlers, () => {
      this.observer.disconnect();
      // Its marks in the text go with it, unless another component has marked something since.
      if (globalThis.seamarkStepper === this) emit("seamark-step", NOTHING);
    });
  }

  update(data) {
    this.data = data;
    if (this.body !== data.rows) {
      this.body = data.rows;
      this.made = JSON.parse(data.rows);
    }
    this.heads.score.firstChild.textContent = data.score.split(" ")[0];
    this.heads.score.firstChild.title = `By ${data.score}`;
    this.offer();
    this.sift();
  }

  // What became of the gap of an entry.
  verdictOf(entry) {
    return this.made.verdicts[Number(this.made.verdictOf[entry])];
  }

  // Offer a filter for every verdict that occurs, with its count.
  offer() {
    const { gaps, verdicts, near } = this.made;
    const before = this.verdict.value;
    const options = [["", `every gap (${gaps.length.toLocaleString("en")})`]];
    for (const verdict of verdicts) {
      const count = gaps.filter((_, entry) => this.verdictOf(entry) === verdict).length;
      options.push([verdict.name, `${verdict.standing} (${count.toLocaleString("en")})`]);
    }
    options.push(["near", `near the line (${near.filter(Boolean).length.toLocaleString("en")})`]);
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
    if (!this.made) return;
    const { gaps, scores, away, verdicts, near, reasons } = this.made;
    const words = this.words.value.trim().toLowerCase();
    const wanted = this.verdict.value;
    this.order = gaps.map((_, entry) => entry).filter((entry) => {
      if (wanted === "near" ? !near[entry] : wanted !== "" && this.verdictOf(entry).name !== wanted) return false;
      return !words || reasons[entry].toLowerCase().includes(words) || this.sentences(entry).join(" ").toLowerCase().includes(words);
    });
    const { by, falling } = this.sort;
    const value = { gap: (entry) => entry, score: (entry) => scores[entry], away: (entry) => (away[entry] === null ? null : Math.abs(away[entry])), verdict: (entry) => verdicts.indexOf(this.verdictOf(entry)) }[by];
    const sign = falling ? -1 : 1;
    // Gaps without a number come last in both directions.
    this.order.sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      if (x === null || y === null) return (x === null) - (y === null) || a - b;
      return sign * (x - y) || a - b;
    });
    this.places = new Map(this.order.map((entry, place) => [entry, place]));
    for (const [name, head] of Object.entries(this.heads)) head.setAttribute("aria-sort", name === by ? (falling ? "descending" : "ascending") : "none");
    const shown = this.order.length === gaps.length ? "" : `${this.order.length.toLocaleString("en")} of `;
    this.counted.textContent = `${shown}${gaps.length.toLocaleString("en")} gaps · ${gaps.filter((_, entry) => this.verdictOf(entry).cut).length.toLocaleString("en")} cut · ≈ ${near.filter(Boolean).length.toLocaleString("en")} near the line`;
    this.grid.setAttribute("aria-rowcount", String(this.order.length + 1));
    this.draw();
  }

  sentences(entry) {
    const source = storedText(this.data.source);
    if (!source) return [];
    const { text, starts, ends } = source;
    const gap = this.made.gaps[entry];
    return [gap, gap + 1].slice(0, this.made.inside[entry] ? 1 : 2).map((sentence) => text.slice(starts[sentence], ends[sentence]).replace(/\s+/g, " "));
  }

  draw() {
    this.frame = null;
    if (!this.made) return;
    this.room.style.height = `${this.order.length * HEIGHT}px`;
    const first = Math.max(0, Math.floor(this.rows.scrollTop / HEIGHT) - BEYOND);
    const last = Math.min(this.order.length, Math.ceil((this.rows.scrollTop + this.rows.clientHeight) / HEIGHT) + BEYOND);
    const drawn = [];
    for (let place = first; place < last; place++) drawn.push(this.row(this.order[place], place));
    if (!this.order.length) drawn.push(el("div", "nothing", this.made.gaps.length ? "No gap is like that." : "One sentence has no gaps."));
    this.room.replaceChildren(...drawn);
    const seen = this.places.get(this.chosen);
    if (seen >= first && seen < last) this.rows.setAttribute("aria-activedescendant", `gap-${this.chosen}`);
    else this.rows.removeAttribute("aria-activedescendant");
  }

  row(entry, place) {
    const { gaps, scores, away, near, reasons, inside } = this.made;
    const verdict = this.verdictOf(entry);
    const { cut } = verdict;
    const row = el("div", `row${cut ? " cut" : ""}${near[entry] ? " near" : ""}${entry === this.chosen ? " chosen" : ""}`);
    row.id = `gap-${entry}`;
    row.dataset.entry = entry;
    row.style.top = `${place * HEIGHT}px`;
    row.setAttribute("role", "row");
    row.setAttribute("aria-rowindex", String(place + 2));
    row.setAttribute("aria-selected", String(entry === this.chosen));
    const line = row.appendChild(el("div", "line"));
    const standing = el("span", "standing");
    // The same signs as on the curve: cut, kept, changed by a size.
    const sign = standing.appendChild(el("span", "sign", verdict.overruled ? "◆" : cut ? "●" : "○"));
    sign.setAttribute("aria-hidden", "true");
    standing.append(verdict.standing);
    line.append(
      el("span", "", String(gaps[entry] + 1) + (inside[entry] ? "*" : "")),
      el("span", "", scores[entry] === null ? "–" : scores[entry].toFixed(3)),
      el("span", "away", away[entry] === null ? "–" : signed(away[entry])),
      standing,
    );
    if (near[entry]) line.children[2].title = "near the line";
    for (const cell of line.children) cell.setAttribute("role", "gridcell");
    const [left, right] = this.sentences(entry);
    const around = left === undefined ? "" : right === undefined ? ` · “${left}”` : ` · “…${left.slice(-28)} ¦ ${right.slice(0, 60)}”`;
    const said = row.appendChild(el("div", "said", reasons[entry] + around));
    said.setAttribute("role", "gridcell");
    row.title = [reasons[entry], left, right].filter(Boolean).join("\n");
    return row;
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.rows.clientHeight / HEIGHT) - 1);
    const here = this.places.get(this.chosen) ?? -1;
    const to = { ArrowDown: here + 1, ArrowUp: Math.max(0, here - 1), PageDown: here + page, PageUp: here - page, Home: 0, End: this.order.length - 1 }[event.key];
    if (event.key === "Enter" && here >= 0) this.lead(this.chosen);
    else if (to !== undefined && this.order.length) this.choose(this.order[Math.max(0, Math.min(this.order.length - 1, to))], true);
    else return;
    event.preventDefault();
  }

  choose(entry, aloud = false) {
    this.chosen = entry;
    const place = this.places.get(entry);
    if (place !== undefined) {
      const top = place * HEIGHT;
      if (top < this.rows.scrollTop) this.rows.scrollTop = top;
      else if (top + HEIGHT > this.rows.scrollTop + this.rows.clientHeight) this.rows.scrollTop = top + HEIGHT - this.rows.clientHeight;
    }
    this.draw();
    if (aloud) this.live.textContent = `Gap ${this.made.gaps[entry] + 1}: ${this.verdictOf(entry).standing}, ${this.made.reasons[entry]}`;
  }

  // Go to the text, and mark both sides of the gap there.
  lead(entry) {
    this.choose(entry, true);
    const gap = this.made.gaps[entry];
    const next = this.made.inside[entry] ? null : [gap + 1, gap + 2];
    globalThis.seamarkStepper = this;
    emit("seamark-jump", { sentence: gap });
    emit("seamark-step", { growing: [gap, gap + 1], next, middle: null, gap });
  }

  // Follow a gap chosen in the text or on the curve.
  follow(gap) {
    const entry = this.made?.gaps.indexOf(gap) ?? -1;
    if (entry < 0) return;
    if (!this.places.has(entry)) this.live.textContent = `Gap ${gap + 1} is not among those shown.`;
    this.choose(entry);
    globalThis.seamarkStepper = this;
    emit("seamark-step", NOTHING);
  }
}
