// Counts of raised hands for either answer, in two votes: before and after the class has discussed it.

import { el } from "../shared/dom.js";

const ROUNDS = ["First vote", "Second vote"];

/**
 * @import { Prediction } from "./stepper.data.d.ts"
 * @import { Vote } from "./predictions.js"
 */

export class Votes {
  /** @type {{ bar: HTMLElement, vote: Vote, side: number }[]} */ bars = [];

  constructor() {
    this.root = el("div", "votes");
  }

  /**
   * Draw the two votes on a step. Once the step is shown they are text, and votes without a count are omitted.
   * @param {Prediction} prediction
   * @param {Vote[]} votes
   * @param {boolean} open
   */
  draw({ yes, no, right }, votes, open) {
    this.bars = [];
    const rows = votes.flatMap((vote, round) => {
      if (!open && vote.every((hands) => hands === null)) return [];
      const row = el("div", "vote");
      row.setAttribute("role", "group");
      row.setAttribute("aria-label", ROUNDS[round]);
      row.append(el("span", "round", ROUNDS[round]));
      for (const [side, words] of [yes, no].entries()) {
        const bar = el("span", `hands ${!open && (side === 0) === right ? "right" : ""}`);
        const label = el("label", "", words);
        if (open) label.append(this.field(vote, side));
        else label.append(` ${vote[side] ?? 0}`);
        row.append(label, bar);
        this.bars.push({ bar, vote, side });
      }
      return [row];
    });
    this.size();
    this.root.replaceChildren(...rows);
    this.root.hidden = !rows.length;
  }

  // All bars have one scale.
  size() {
    const most = Math.max(1, ...this.bars.map(({ vote, side }) => vote[side] ?? 0));
    for (const { bar, vote, side } of this.bars) bar.style.setProperty("--share", String((vote[side] ?? 0) / most));
  }

  /**
   * @param {Vote} vote
   * @param {number} side
   */
  field(vote, side) {
    const input = el("input");
    input.inputMode = "numeric";
    input.autocomplete = "off";
    input.maxLength = 4;
    input.value = String(vote[side] ?? "");
    input.addEventListener("input", () => {
      vote[side] = /^\d{1,4}$/.test(input.value) ? Number(input.value) : null;
      this.size();
    });
    return input;
  }

  /**
   * Return the field to fill next for an answer: that of the first vote, or of the second if the first is filled.
   * @param {boolean} yes
   */
  next(yes) {
    const fields = [...this.root.querySelectorAll("input")].filter((_, number) => number % 2 === Number(!yes));
    return fields.find((field) => !field.value) ?? fields.at(-1);
  }

  /**
   * Describe the votes for a screen reader.
   * @param {Prediction} prediction
   * @param {Vote[]} votes
   */
  static inWords({ yes, no }, votes) {
    const counted = votes.map(
      ([agree, disagree], round) => `${ROUNDS[round]}: ${yes} ${agree ?? 0}, ${no} ${disagree ?? 0}.`,
    );
    return counted.filter((_, round) => votes[round].some((hands) => hands !== null)).join(" ");
  }
}
