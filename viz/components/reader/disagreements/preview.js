// The preview of a change that would reverse a verdict: its other effects, on the card and as signs on the strips. Nothing
// changes until the user applies it.

import { emit } from "../../shared/bus.js";
import { actButton, el } from "../../shared/dom.js";
import { counted } from "../../shared/format.js";
import { paintPreviewedCuts } from "./previewed_cuts.js";

/**
 * @import { ChangeData } from "../../../shell/card/verdicts.data.d.ts"
 * @import { PreviewData } from "../../../shell/card/verdicts.data.d.ts"
 * @import { Would } from "../../shared/bus.js"
 * @import { Strip } from "../strips.js"
 * @import { Disagreements } from "./disagreements.js"
 */

const ADDED = "▼"; // as on the strips
const REMOVED = "×";

export class Preview {
  /** @type {Would & { words: string } | null} */ wanted = null;
  /** @type {PreviewData | null} */ data = null;

  /** @param {Disagreements} disagreements */
  constructor(disagreements) {
    this.disagreements = disagreements;
  }

  get reader() {
    return this.disagreements.reader;
  }

  /**
   * True if the previewed change is of this column.
   * @param {number} column
   */
  isOf(column) {
    return this.wanted?.column === column;
  }

  /**
   * Show the preview of a change, or close it if it is already shown.
   * @param {number} column
   * @param {ChangeData} change
   */
  press(column, { values, words }) {
    if (this.isOf(column)) return this.cancel();
    this.data = null;
    this.wanted = { column, values, words, hashes: this.disagreements.hashes };
    this.ask();
    this.disagreements.drawCard();
  }

  ask() {
    const { wanted, disagreements } = this;
    const { at = null } = disagreements;
    if (!wanted) return emit("seamark-disagreement", { at });
    const { column, values, hashes } = wanted;
    emit("seamark-disagreement", { at, would: { column, values, hashes } });
  }

  /** @param {PreviewData | null} data */
  hear(data) {
    const { wanted } = this;
    if (!wanted) return;
    // A change that the server rejects cannot be applied.
    if (!data) return this.leave();
    if (data.column !== wanted.column || JSON.stringify(data.values) !== JSON.stringify(wanted.values)) return;
    this.data = data;
    this.reader.axis.strips.draw();
  }

  // True if the preview is complete.
  get done() {
    return this.data !== null && this.data.state !== "working";
  }

  cancel() {
    const { disagreements, wanted } = this;
    this.leave();
    this.ask();
    disagreements.drawCard();
    disagreements.focusOn(`would ${wanted?.column}`);
    this.reader.live.textContent = "Preview closed, nothing has changed";
  }

  // Close the preview: it was applied, or its results are no longer shown.
  leave() {
    if (!this.wanted) return;
    this.wanted = this.data = null;
    this.reader.axis.strips.draw();
  }

  apply() {
    const { wanted, reader } = this;
    if (!wanted) return;
    const { column, values } = wanted;
    this.leave();
    this.disagreements.focusNext = `undo ${column}`;
    reader.component?.setStateValue("change", { column, values, at: performance.now() });
    this.disagreements.drawCard();
  }

  undo() {
    this.reader.component?.setStateValue("change", { undo: true, at: performance.now() });
  }

  // ---- drawing ----------------------------------------------------------------------------------------------------

  // The line below the cells; null while nothing is previewed.
  draw() {
    const { data, wanted } = this;
    if (!wanted) return null;
    const root = el("div", "preview");
    root.setAttribute("role", "group");
    root.setAttribute("aria-label", `Preview: column ${wanted.column + 1}, ${wanted.words}`);
    const summary = el("p");
    const alone = this.reader.columns.length < 2;
    summary.append(el("b", "", alone ? "Preview" : `Preview, column ${wanted.column + 1}`));
    const parts = data ? [...this.places(data), ...data.said.map((words) => el("span", "", words))] : [];
    if (!this.done) parts.push(el("span", "", data?.share ? "asking the kept questions …" : "trying it …"));
    for (const part of parts) summary.append(" · ", part);
    summary.classList.toggle("wrong", data?.state === "failed");
    const apply = actButton("Apply", "apply", () => this.apply());
    // The change can be applied while the questions are still being asked.
    apply.disabled = !data || data.state === "failed" || !(data.added.length || data.removed.length);
    const line = el("div");
    // As wide as the visible part of the columns, however far they are scrolled sideways.
    line.style.maxWidth = `${this.reader.scroller.clientWidth}px`;
    line.append(
      summary,
      apply,
      actButton("Cancel", "cancel", () => this.cancel()),
    );
    root.append(line);
    return root;
  }

  /**
   * Says how many places change, with the signs that the strips have there.
   * @param {PreviewData} data
   */
  places({ state, added, removed }) {
    if (state === "failed") return [];
    if (!added.length && !removed.length) return state === "done" ? [el("span", "", "nothing changes")] : [];
    const { at } = this.disagreements;
    const [more, fewer] = [added, removed].map((places) => places.filter((place) => place !== at).length);
    const summary = el("span", "", changesSaid(more + fewer, more + fewer < added.length + removed.length));
    const kinds = /** @type {[string, number, string][]} */ ([
      [ADDED, more, "added"],
      [REMOVED, fewer, "removed"],
    ]);
    kinds
      .filter(([, count]) => count)
      .forEach(([sign, count, word], number) => {
        const shown = el("span", "sign", sign);
        shown.setAttribute("aria-hidden", "true");
        summary.append(number ? ", " : ": ", shown, ` ${counted(count, "cut")} ${word}`);
      });
    return [summary];
  }

  /**
   * Draw the signs of a strip: of the column that would change, or of the known boundaries that it would find and lose.
   * @param {Strip} strip
   * @param {number | null} column null for the known boundaries
   * @returns {string} what is drawn, in words; empty where nothing is
   */
  markStrip(strip, column) {
    const { data, wanted } = this;
    const isKnown = column === null;
    const added = (isKnown ? data?.found : data?.added) ?? [];
    const removed = (isKnown ? data?.lost : data?.removed) ?? [];
    if (!wanted || !data || !(isKnown || this.isOf(column)) || !(added.length || removed.length)) {
      strip.previewedCuts?.remove();
      strip.previewedCuts = undefined;
      return "";
    }
    if (!strip.previewedCuts) {
      strip.previewedCuts = strip.root.appendChild(el("canvas", "previewed-cuts"));
      strip.previewedCuts.setAttribute("aria-hidden", "true");
    }
    paintPreviewedCuts(this.reader.axis, strip.previewedCuts, added, removed);
    const words = isKnown ? ["found", "lost"] : ["added", "removed"];
    const changes = [added, removed].map((places, kind) =>
      places.length ? `${words[kind]} before sentences ${sentencesOf(places)}` : "",
    );
    return `; the preview: ${changes.filter(Boolean).join(", ")}`;
  }

  handle() {
    const { data } = this;
    return data && { added: [...data.added], removed: [...data.removed], state: data.state };
  }
}

/**
 * Says how many places change. The beginning of a chunk that repeats some of the one before is not where that one ends: then none
 * of them is the place at hand.
 * @param {number} count
 * @param {boolean} others
 */
function changesSaid(count, others) {
  if (!count) return "no other place changes";
  return others
    ? counted(count, "other place changes", "other places change")
    : counted(count, "beginning of a chunk changes", "beginnings of chunks change");
}

/** @param {number[]} places */
const sentencesOf = (places) =>
  places
    .slice(0, 40)
    .map((at) => Math.floor(at) + 1)
    .join(", ") + (places.length > 40 ? " and more" : "");
