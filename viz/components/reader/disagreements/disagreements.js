// The disagreements between columns: a bar to move between them, and a card across all columns on the current one. The columns'
// segments contain their decisions; reasons and reversing changes are requested from the server.

import { emit } from "../../shared/bus.js";
import { actButton, activeIn, all, el, isFree } from "../../shared/dom.js";
import { counted, grouped } from "../../shared/format.js";
import { bringIntoWindow } from "../parts/scroll_into_window.js";
import { cellOf, placeSaid, sentencesAt } from "./card.js";
import { bySize, cutsAt, disagreements, disputes, stepFrom, votes, whoStands } from "./disagreement_positions.js";
import { Preview } from "./preview.js";

/**
 * @import { VerdictCell, Verdicts } from "../../../shell/card/verdicts.data.d.ts"
 * @import { Column } from "../column.js"
 * @import { Segments } from "../payload.data.d.ts"
 * @import { Reader } from "../reader.js"
 * @typedef {Column & { segments: Segments }} Ready
 */

const MEASURES = {
  certainty: "how far the scores of both sides are from their lines, in standard deviations: the less certain side counts",
  split: "how evenly the columns split: the size of the smaller side",
};

export class Disagreements {
  /** @type {number | undefined} */ at; // the position of the card
  /** @type {number[]} */ list = []; // all positions, in navigation order
  /** @type {Map<number, (VerdictCell | null)[]>} */ answers = new Map();
  answered = ""; // the results that the answers are about
  /** @type {HTMLElement[]} */ marked = [];
  shown = false; // whether there are columns to compare
  focusNext = ""; // what is to have the focus once it is on the card
  formula = false; // whether formulas are shown with their values

  /** @param {Reader} reader */
  constructor(reader) {
    this.reader = reader;
    this.bar = el("div", "disputes");
    this.where = el("span", "count");
    this.before = this.button("◂", "Previous disagreement (D)", -1);
    this.after = this.button("▸", "Next disagreement (d)", 1);
    this.whose = this.choice("Columns that disagree");
    this.order = this.choice("Order of the disagreements");
    this.bar.append(this.before, this.where, this.after, this.whose, this.order);
    reader.axis.foot.append(this.bar);
    this.card = el("section", "grid dispute");
    reader.texts.before(this.card);
    this.preview = new Preview(this);
    /** @param {KeyboardEvent} event */
    const hearKey = (event) => this.key(event);
    globalThis.addEventListener("keydown", hearKey);
    this.leave = () => globalThis.removeEventListener("keydown", hearKey);
  }

  /**
   * @param {string} sign
   * @param {string} label
   * @param {1 | -1} direction
   */
  button(sign, label, direction) {
    const made = el("button", "step", sign);
    made.type = "button";
    made.title = label;
    made.setAttribute("aria-label", label);
    made.addEventListener("click", () => this.step(direction));
    return made;
  }

  /** @param {string} label */
  choice(label) {
    const made = el("select");
    made.setAttribute("aria-label", label);
    made.addEventListener("change", () => this.draw());
    return made;
  }

  // Start over with another text.
  reset() {
    this.preview.leave();
    this.at = undefined;
    this.answers.clear();
  }

  /** @returns {Ready[]} */
  get ready() {
    return this.reader.columns.filter((column) => column.segments !== null).map((column) => /** @type {Ready} */ (column));
  }

  // The columns that are compared: all, or two.
  get compared() {
    const { ready } = this;
    const pair = this.whose.value.split(" ").filter(Boolean).map(Number);
    const two = ready.filter(({ index }) => pair.includes(index));
    return two.length === 2 ? two : ready;
  }

  // ---- drawing ----------------------------------------------------------------------------------------------------

  draw() {
    const { ready, reader } = this;
    this.shown = ready.length > 1 && Boolean(reader.data?.axis);
    this.bar.style.display = this.shown ? "" : "none";
    if (!this.shown && !reader.data?.card) this.at = undefined;
    this.offerPairs(ready);
    const { compared } = this;
    const begins = compared.map(({ segments }) => segments.from);
    this.list = disagreements(votes(begins), compared.length);
    this.offerOrders(compared);
    this.drawBar();
    this.drawCard();
  }

  /** @param {Ready[]} ready */
  offerPairs(ready) {
    const numbers = ready.map(({ index }) => index);
    const pairs = numbers.flatMap((first, place) => numbers.slice(place + 1).map((second) => [first, second]));
    fillChoice(this.whose, [
      ["", "all columns"],
      ...pairs.map(([first, second]) => [`${first} ${second}`, `${first + 1} and ${second + 1}`]),
    ]);
    this.whose.hidden = ready.length < 3;
  }

  /** @param {Ready[]} compared */
  offerOrders(compared) {
    const { by, sizes } = disputes(
      this.list,
      compared.map(({ segments, curve }) => ({ begins: segments.from, curve })),
    );
    // If all are equally large, there is nothing to order.
    this.order.hidden = new Set(sizes.values()).size < 2;
    fillChoice(this.order, [
      ["text", "as in the text"],
      ["size", "largest first"],
    ]);
    this.order.title = `A dispute is as large as ${MEASURES[by]}.`;
    if (!this.order.hidden && this.order.value === "size") this.list = bySize(this.list, sizes);
  }

  drawBar() {
    const { list, at } = this;
    const count = list.length;
    const number = at === undefined ? 0 : list.indexOf(at) + 1;
    const all = count ? counted(count, "disagreement") : "no disagreements";
    this.where.textContent = number ? `disagreement ${grouped(number)} of ${grouped(count)}` : all;
    this.before.disabled = this.after.disabled = !count;
  }

  drawCard() {
    const { at, card, reader, ready } = this;
    for (const node of this.marked) node.classList.remove("disputed");
    this.marked = [];
    card.style.display = at === undefined ? "none" : "";
    if (at === undefined) return;
    this.marked = sentencesAt(at).flatMap((sentence) => reader.columns.flatMap((column) => column.spansOf(sentence)));
    for (const node of this.marked) node.classList.add("disputed");
    const [cut, kept] = this.sides(ready, at);
    const agreed = ready.length > 1 ? "all agree" : "";
    const facts = [...placeSaid(reader, at), cut.length && kept.length ? whoStands(cut, kept) : agreed];
    const place = el("p", "place");
    place.append(el("span", "", facts.filter(Boolean).join(" · ")));
    const close = el("button", "close", "×");
    close.type = "button";
    close.dataset.act = "close";
    close.title = "Close";
    close.setAttribute("aria-label", this.shown ? "Close the disagreement" : "Close the verdict");
    close.addEventListener("click", () => this.close());
    const answers = this.answered === this.results ? this.answers.get(at) : undefined;
    const { preview } = this;
    // Its results no longer exist.
    const stands = preview.wanted?.hashes.join(" ") === this.results && !reader.columns.some(({ previewed }) => previewed);
    if (!stands) preview.leave();
    card.setAttribute("aria-label", this.named);
    const compared = new Set(this.compared);
    if (answers?.some((answer) => answer?.formula.length)) place.append(this.formulaButton());
    const cells = reader.columns.map((column) => {
      const cell = cellOf(column, at, answers?.[column.index] ?? null, preview, this.formula);
      cell.classList.toggle("aside", !compared.has(/** @type {Ready} */ (column)));
      return cell;
    });
    place.append(close);
    const below = preview.draw();
    const active = activeIn(card);
    const focused = active instanceof HTMLElement && card.contains(active) ? active.dataset.act : undefined;
    const drawn = [place, ...cells, ...(below ? [below] : [])];
    // Do not redraw unchanged parts: a click on a button that is rebuilt meanwhile would be lost.
    if (drawn.map(({ outerHTML }) => outerHTML).join("") !== card.innerHTML) card.replaceChildren(...drawn);
    this.focusOn(this.focusNext || focused);
  }

  // Return the button that shows and hides the formulas with the values of this gap.
  formulaButton() {
    const made = actButton("Formula", "formula", () => {
      this.formula = !this.formula;
      this.redrawCard();
    });
    made.title = "The formula with this gap's numbers";
    made.setAttribute("aria-pressed", String(this.formula));
    return made;
  }

  // Draw the card again. A taller card leaves the columns less room: scroll them so that what was in sight stays there.
  redrawCard() {
    const { card, reader, marked } = this;
    const before = card.offsetHeight;
    const [first] = marked;
    const pane = first?.closest(".text")?.getBoundingClientRect();
    const at = first?.getBoundingClientRect();
    const seen = pane !== undefined && at.top >= pane.top - 1 && at.top < pane.bottom;
    this.drawCard();
    if (!seen || reader.keeping || card.offsetHeight === before || this.at === undefined) return;
    const [sentence, next = sentence] = sentencesAt(this.at);
    reader.keep({}, () => {
      for (const column of reader.columns) column.scrollThrough(sentence, next);
    });
  }

  // The accessible name of the card.
  get named() {
    const isListed = this.at !== undefined && this.list.includes(this.at);
    return (isListed && this.where.textContent) || "verdict";
  }

  /**
   * Focus a button of the card, if it exists, so that a redraw keeps the focus.
   * @param {string | undefined} act
   */
  focusOn(act) {
    const button = act && all(this.card, "button").find(({ dataset }) => dataset.act === act);
    if (!button) return;
    button.focus({ preventScroll: true });
    if (act === this.focusNext) this.focusNext = "";
  }

  /**
   * The numbers of the columns, from 1, that cut at a place, and of those that do not.
   * @param {Ready[]} ready
   * @param {number} at
   */
  sides(ready, at) {
    /** @param {boolean} cuts */
    const those = (cuts) => ready.filter(({ segments }) => cutsAt(segments.from, at) === cuts).map(({ index }) => index + 1);
    return [those(true), those(false)];
  }

  get hashes() {
    return (this.reader.data?.columns ?? []).map(({ hash }) => hash);
  }

  // The hashes that valid answers must have.
  get results() {
    return this.hashes.join(" ");
  }

  /** @param {Verdicts} verdicts */
  hear({ at, hashes, cells, preview }) {
    const answered = hashes.join(" ");
    if (answered !== this.answered) this.answers.clear();
    this.answered = answered;
    this.answers.set(at, cells);
    if (at !== this.at) return;
    const shows = this.preview.wanted !== null;
    if (answered === this.results) this.preview.hear(preview);
    // A click moves the focus to the result.
    const active = activeIn(this.card);
    const pressed = active instanceof HTMLElement && active.classList.contains("would") && this.card.contains(active);
    if (this.preview.done && pressed) this.focusNext = "apply";
    this.redrawCard();
    if (!shows || this.preview.done) this.say();
  }

  // Tell a screen reader what the card says, or the preview, which comes last.
  say() {
    const selector = this.preview.done ? ".preview p" : ".place > span, .verdict";
    const parts = all(this.card, selector).map((part) => [...part.childNodes].map((node) => node.textContent).join(" "));
    this.reader.live.textContent = (this.preview.done ? parts : [this.named, ...parts]).join("; ");
  }

  // ---- navigation -------------------------------------------------------------------------------------------------

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.key === "Escape" && this.preview.wanted && isFree(event) && this.reader.root.isConnected) {
      event.preventDefault();
      return this.preview.cancel();
    }
    if (!["d", "D"].includes(event.key) || !isFree(event)) return;
    if (!this.list.length || !this.reader.root.isConnected || !this.reader.data?.axis || this.reader.marking.folded) return;
    event.preventDefault();
    this.step(event.key === "d" ? 1 : -1);
  }

  /** @param {1 | -1} direction */
  step(direction) {
    if (this.list.length) this.show(stepFrom(this.list, this.at, direction));
  }

  /** @param {number} at */
  show(at) {
    const { reader } = this;
    if (at !== this.at) this.preview.leave();
    this.at = at;
    this.drawBar();
    this.drawCard();
    const sentences = sentencesAt(at);
    reader.jump(sentences[0], sentences[sentences.length - 1]);
    if (sentences.length < 2) reader.axis.point(at);
    else if (reader.axis.column) reader.axis.plot.showGap(sentences[0]);
    else reader.mark(sentences, at);
    // The jump has built the blocks that are now visible.
    this.drawCard();
    this.bringIntoSight(sentences[sentences.length - 1]);
    this.say();
    emit("seamark-disagreement", { at });
  }

  /**
   * Show the card at any position, optionally with the preview of reversing the first column's verdict.
   * @param {number} at
   * @param {boolean} [press]
   */
  open(at, press = false) {
    if (!this.reader.data?.card || !this.reader.data.axis) return;
    this.show(at);
    const change = press && this.answered === this.results ? this.answers.get(at)?.[0]?.change : null;
    if (!change || this.preview.isOf(0)) return;
    this.focusNext = "would 0";
    this.preview.press(0, change);
  }

  /**
   * Scroll the page until the sentence is visible in every column, with the card below anything that covers the top.
   * @param {number} sentence
   */
  bringIntoSight(sentence) {
    const { reader, card } = this;
    const spans = reader.columns.flatMap((column) => column.spansOf(sentence));
    const [lowest] = spans.sort((a, b) => b.getBoundingClientRect().bottom - a.getBoundingClientRect().bottom);
    if (lowest) bringIntoWindow(lowest, reader.root);
    bringIntoWindow(card, reader.root);
  }

  close() {
    this.preview.leave();
    this.at = undefined;
    this.reader.mark([]);
    this.draw();
    (this.shown ? this.after : this.ready[0]?.body)?.focus({ preventScroll: true });
    emit("seamark-disagreement", { at: null });
  }

  handle() {
    const { at, list, preview } = this;
    const number = at === undefined ? 0 : list.indexOf(at) + 1;
    return { at: at ?? null, number, count: list.length, preview: preview.handle() };
  }
}

/**
 * Fill a select element with values and labels; keep the current choice if it is among them.
 * @param {HTMLSelectElement} choice
 * @param {string[][]} offered
 */
function fillChoice(choice, offered) {
  const now = JSON.stringify(offered);
  if (choice.dataset.offered === now) return;
  const { value } = choice;
  choice.dataset.offered = now;
  choice.replaceChildren(...offered.map(([option, words]) => new Option(words, option)));
  choice.value = offered.some(([option]) => option === value) ? value : offered[0][0];
}
