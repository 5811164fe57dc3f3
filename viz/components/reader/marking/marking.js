// Clickable gaps in the reader, between the sentences of every column or in the folded text without chunks, below a bar with
// buttons to fill in, undo and finish.

import { GapMarks, headingGaps, PURPOSES } from "../../gaps/gap_marks.js";
import { activeIn, el } from "../../shared/dom.js";
import { uncovered } from "../parts/scroll_into_window.js";
import { FoldedText } from "./folded_text.js";

/** @import { Reader } from "../reader.js" */

export class Marking {
  folded = false; // whether the columns are
  purpose = "";
  drawnInColumns = "none"; // what is set between the sentences of the columns

  /** @param {Reader} reader */
  constructor(reader) {
    this.reader = reader;
    this.marks = new GapMarks(
      (change) => this.tell(change),
      () => this.drawMarks(),
    );
    this.offers = el("span", "offers");
    reader.axis.foot.prepend(this.offers);
    this.bar = el("div", "marking-bar");
    this.bar.setAttribute("role", "group");
    this.title = this.bar.appendChild(el("strong"));
    this.count = this.bar.appendChild(el("span", "count"));
    const actions = this.bar.appendChild(el("span", "actions"));
    this.headings = this.button(actions, "Headings as marks", () => this.marks.add(this.headingGaps));
    this.undo = this.button(actions, "Undo", () => this.marks.undo());
    this.clear = this.button(actions, "Clear", () => this.marks.clear());
    this.done = this.button(actions, "Done", () => this.ask(""));
    this.done.classList.add("done");
    reader.scroller.before(this.bar);
    this.text = new FoldedText(reader, this.marks);
    for (const node of [this.bar, this.text.body])
      node.addEventListener("keydown", (event) => {
        if (event.key !== "Escape" || event.defaultPrevented) return;
        event.preventDefault();
        this.ask("");
      });
  }

  /**
   * @param {Element} parent
   * @param {string} words
   * @param {() => void} act
   */
  button(parent, words, act) {
    const made = parent.appendChild(el("button", "", words));
    made.type = "button";
    made.addEventListener("click", act);
    return made;
  }

  // Adopt the server's state that the columns need before the rest is drawn.
  get words() {
    return PURPOSES[this.reader.data?.marking?.purpose ?? this.purpose];
  }

  get headingGaps() {
    return headingGaps(this.reader.headings, this.reader.starts);
  }

  // True if the gaps of every column are buttons.
  get inColumns() {
    return this.reader.data?.marking?.folded === false;
  }

  /** @param {{ gaps: number[] | null, at: number }} change */
  tell(change) {
    const { component, data } = this.reader;
    component?.setStateValue("mark", { ...change, purpose: this.purpose, source: data?.source ?? "" });
  }

  /** @param {string} purpose for which the columns fold; empty to bring them back */
  ask(purpose) {
    this.reader.component?.setStateValue("fold", { purpose, at: performance.now() });
  }

  // Start over with another text.
  reset() {
    this.marks.reset();
    this.text.forget();
    this.text.drawnOf = "";
  }

  // Adopt the server's state once the columns are drawn.
  update() {
    const { marking = null, offers = {} } = this.reader.data ?? {};
    this.drawOffers(offers);
    const purpose = marking?.purpose ?? "";
    if (purpose !== this.purpose) this.marks.reset();
    this.purpose = purpose;
    if (marking) this.marks.update(marking.gaps, marking.heard);
    const folded = marking?.folded ?? false;
    if (folded !== this.folded) this.fold(folded);
    else if (folded) this.text.show();
    this.drawMarks();
  }

  /** @param {boolean} folded whether the columns fold, or come back; the same place of the text stays in sight */
  fold(folded) {
    const { columns, data, root, sideways } = this.reader;
    const top = (folded ? this.reader.lead : this.text)?.topmost() ?? null;
    this.folded = folded;
    root.classList.toggle("folded", folded);
    if (folded) {
      this.title.textContent = this.words.title;
      this.bar.setAttribute("aria-label", this.words.title);
      this.headings.hidden = this.purpose !== "marks" || !this.headingGaps.length;
      this.text.show();
    } else {
      this.text.body.remove();
      // Folded, there was nothing to scroll to sideways.
      sideways.shown = null;
      sideways.show(data?.selected ?? 0, columns[data?.selected ?? 0]?.head.root);
    }
    this.reader.keep({}, () => {
      for (const text of folded ? [this.text] : columns) {
        text.fillSight();
        // A sentence that begins above the edge of a narrow column may be above the edge altogether in a wide one.
        if (top) text.scrollTo(top.sentence, Math.max(0, top.offset));
      }
    });
    this.enter(folded, top?.sentence ?? 0);
  }

  /**
   * @param {boolean} folded whether the columns fold now, or are back
   * @param {number} gap near the upper edge
   */
  enter(folded, gap) {
    const { reader } = this;
    if (folded) {
      if (this.bar.getBoundingClientRect().top < uncovered(reader.root)[0]) reader.root.scrollIntoView({ block: "start" });
      // The place of the text is in sight already.
      this.text.buttonOf(gap)?.focus({ preventScroll: true });
      reader.live.textContent = `${this.words.title} Arrows go from gap to gap, Space sets one, Escape ends it`;
    } else {
      this.offers.querySelector("button")?.focus({ preventScroll: true });
      reader.live.textContent = "The columns are back";
    }
  }

  /** @param {Record<string, string>} offers purposes, each with why it cannot be now */
  drawOffers(offers) {
    const now = JSON.stringify(offers);
    if (this.offers.dataset.drawn === now) return;
    this.offers.dataset.drawn = now;
    this.offers.replaceChildren(
      ...Object.entries(offers).map(([purpose, why]) => {
        const button = el("button", "", PURPOSES[purpose].offer);
        button.type = "button";
        button.title = why || PURPOSES[purpose].offerHelp;
        button.disabled = why !== "";
        button.addEventListener("click", () => this.ask(purpose));
        return button;
      }),
    );
  }

  // Draw the set gaps.
  drawMarks() {
    const { reader } = this;
    if (!this.folded) {
      const now = this.inColumns ? String(this.marks.list) : "none";
      if (this.drawnInColumns === now) return;
      this.drawnInColumns = now;
      for (const column of reader.columns) column.updateAllSentences();
      return;
    }
    this.text.updateAllSentences();
    const count = this.marks.countInWords(this.words);
    if (this.count.textContent !== count) this.count.textContent = reader.live.textContent = count;
    this.undo.disabled = !this.marks.before.length;
    this.clear.disabled = !this.marks.set.size;
    this.headings.disabled = this.headingGaps.every((gap) => this.marks.set.has(gap));
    // A button that has the focus keeps it only while it can be pressed.
    if (activeIn(this.bar)?.matches(":disabled")) this.done.focus();
  }
}
