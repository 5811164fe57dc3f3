// Marking the answer: a selection in a column gets a button next to it. By keyboard: `a` selects a sentence, Shift with arrows
// moves the end of the selection, Enter marks it.

import { around, el, firstWhere } from "../../shared/dom.js";
import { placesOf, rangesOf, selectedIn, sentenceAt } from "./selection_offsets.js";

/**
 * @import { Column } from "../column.js"
 * @import { Asking } from "./asking.js"
 * @typedef {{ column: Column, start: number, end: number }} Chosen
 */

const BESIDE = 6; // pixels between the selection and its button

export class AnswerMark {
  /** @type {Chosen | null} */ chosen = null;
  /** @type {number | null} */ frame = null;

  /** @param {Asking} asking */
  constructor(asking) {
    this.asking = asking;
    const { reader } = asking;
    this.button = reader.root.appendChild(el("button", "mark-answer", "Mark as the answer"));
    this.button.type = "button";
    this.button.title = "Shows in every column whether a search would find it whole (Enter)";
    this.button.hidden = true;
    // The press must not clear the selection.
    this.button.addEventListener("pointerdown", (event) => event.preventDefault());
    this.button.addEventListener("click", () => this.mark());
    const later = () => {
      this.frame ??= requestAnimationFrame(() => {
        this.frame = null;
        this.look();
      });
    };
    document.addEventListener("selectionchange", later);
    globalThis.addEventListener("scroll", later, { capture: true, passive: true });
    this.leave = () => {
      document.removeEventListener("selectionchange", later);
      globalThis.removeEventListener("scroll", later, { capture: true });
    };
    reader.texts.addEventListener("keydown", (event) => this.key(event));
  }

  // Read the selection, within one column.
  look() {
    const { reader } = this.asking;
    const ends = this.asking.active ? selectedIn(reader.root) : null;
    this.chosen = null;
    if (ends) {
      for (const column of reader.columns) {
        const places = placesOf(column, ends);
        if (places && this.chosen) return this.hide();
        if (places) this.chosen = { column, start: places[0], end: places[1] };
      }
    }
    this.draw();
  }

  hide() {
    this.chosen = null;
    this.button.hidden = true;
  }

  draw() {
    const { chosen } = this;
    const ranges = chosen && this.asking.active ? rangesOf(chosen.column, chosen.start, chosen.end) : [];
    const boxes = ranges.length ? ranges[ranges.length - 1].getClientRects() : [];
    const last = boxes[boxes.length - 1];
    const room = chosen?.column.body.getBoundingClientRect();
    // Hide the button if the selection has been scrolled out of view.
    this.button.hidden = !last || !room || last.bottom < room.top || last.top > Math.min(room.bottom, innerHeight);
    if (this.button.hidden || !last || !room) return;
    const wide = this.button.offsetWidth;
    const left = Math.max(room.left, Math.min(last.right - wide / 2, room.right - wide));
    const below = last.bottom + BESIDE + this.button.offsetHeight < innerHeight;
    const top = below ? last.bottom + BESIDE : last.top - BESIDE - this.button.offsetHeight;
    const root = this.asking.reader.root.getBoundingClientRect();
    this.button.style.left = `${left - root.left}px`;
    this.button.style.top = `${top - root.top}px`;
  }

  mark() {
    const { chosen } = this;
    if (!chosen) return;
    const { start, end } = chosen;
    this.asking.reader.component?.setStateValue("answer", { start, end, at: performance.now() });
    this.asking.reader.live.textContent = "Marked as the answer";
    getSelection()?.removeAllRanges();
    this.hide();
    chosen.column.body.focus({ preventScroll: true });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const body = around(event, ".text");
    const column = this.asking.reader.columns.find((candidate) => candidate.body === body);
    if (!column || !this.asking.active || event.ctrlKey || event.metaKey || event.altKey) return;
    const mine = this.chosen?.column === column ? this.chosen : null;
    if (event.key === "a" && !event.shiftKey) this.choose(column, this.sentenceFor(column));
    else if (event.key === "Enter" && mine && event.target === body) this.mark();
    else if (event.shiftKey && mine && event.key.startsWith("Arrow")) this.choose(column, this.moved(mine, event.key));
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /**
   * Return the sentence to select: the next one after a selection, otherwise a visible one, preferably retrieved.
   * @param {Column} column
   * @returns {[start: number, end: number]}
   */
  sentenceFor(column) {
    const { reader } = this.asking;
    const { starts, ends } = reader;
    let sentence = Math.ceil(column.inSight()[0] - 0.01);
    if (this.chosen?.column === column) sentence = sentenceAt(ends, this.chosen.start) + 1;
    else {
      const hits = this.asking.hits.get(column);
      const { segments } = column;
      const [top, bottom] = column.inSight();
      const part = segments?.over.findIndex(
        (over, at) =>
          segments.to[at] > top && segments.from[at] < bottom && hits && hits.among(over, segments.start[at]).length > 0,
      );
      if (segments && part !== undefined && part >= 0) sentence = Math.max(sentence, Math.floor(segments.from[part]));
    }
    const at = Math.max(0, Math.min(starts.length - 1, sentence));
    return [starts[at], ends[at]];
  }

  /**
   * Returns the selection after its end has moved by a word or a sentence.
   * @param {Chosen} chosen
   * @param {string} key
   * @returns {[start: number, end: number]}
   */
  moved({ start, end }, key) {
    const { text, ends } = this.asking.reader;
    const next = firstWhere(ends.length, (sentence) => ends[sentence] > end);
    if (key === "ArrowDown") return [start, ends[Math.min(next, ends.length - 1)]];
    if (key === "ArrowUp") {
      const before = ends[firstWhere(ends.length, (sentence) => ends[sentence] >= end) - 1] ?? end;
      return [start, before > start ? before : end];
    }
    return [start, key === "ArrowRight" ? wordAfter(text, end) : Math.max(start + 1, wordBefore(text, start, end))];
  }

  /**
   * @param {Column} column
   * @param {[start: number, end: number]} places
   */
  choose(column, [start, end]) {
    const ranges = rangesOf(column, start, end);
    if (!ranges.length) return;
    const [first, last] = [ranges[0], ranges[ranges.length - 1]];
    getSelection()?.setBaseAndExtent(first.startContainer, first.startOffset, last.endContainer, last.endOffset);
    this.chosen = { column, start, end };
    this.draw();
    this.asking.reader.live.textContent = this.asking.reader.text.slice(start, end);
  }
}

/**
 * Returns the end of the word after a place.
 * @param {string} text
 * @param {number} place
 */
export const wordAfter = (text, place) => place + (/^\s*\S+/.exec(text.slice(place, place + 1000))?.[0].length ?? 0);

/**
 * Returns the end of the second-to-last word of a passage.
 * @param {string} text
 * @param {number} start
 * @param {number} end
 */
export const wordBefore = (text, start, end) => start + text.slice(start, end).replace(/\s*\S+\s*$/, "").length;
