// The viewers' predictions of the steps, by yes or no or by raised hands, and the number of right ones.

/**
 * @import { Step } from "./stepper.data.d.ts"
 */

/**
 * Hands raised for yes and for no in a vote; null if they were not counted.
 * @typedef {[yes: number | null, no: number | null]} Vote
 */

export class Predictions {
  /** @type {string | null} */ decisions = null; // that are predicted
  /** @type {Map<number, boolean | null>} */ given = new Map(); // by step; null for one that was shown without a prediction
  /** @type {Map<number, [first: Vote, second: Vote]>} */ votes = new Map(); // by step

  /**
   * Start over, unless these steps decide the same. Their words change once the cuts can be compared with other cuts.
   * @param {Pick<Step, "prediction" | "gauge" | "mark">[]} steps
   */
  of(steps) {
    const decisions = JSON.stringify(steps.map(({ prediction, gauge, mark }) => [prediction, gauge, mark.gap]));
    if (this.decisions === decisions) return;
    this.decisions = decisions;
    this.given.clear();
    this.votes.clear();
  }

  /** @param {number} at */
  votesAt(at) {
    const votes = this.votes.get(at) ?? [
      [null, null],
      [null, null],
    ];
    this.votes.set(at, votes);
    return votes;
  }

  /**
   * Return the number of right predictions, and of all predictions.
   * @param {Pick<Step, "prediction">[]} steps
   */
  tally(steps) {
    const predictions = [...this.given].filter(([, predictedYes]) => predictedYes !== null);
    return {
      right: predictions.filter(([at, predictedYes]) => steps[at]?.prediction?.right === predictedYes).length,
      count: predictions.length,
    };
  }

  /**
   * Return the predictions at gaps: the gap, the answer in lower case, and whether it was right.
   * @param {Pick<Step, "prediction" | "mark">[]} steps
   * @returns {[gap: number, answer: string, right: boolean][]}
   */
  atGaps(steps) {
    return [...this.given].flatMap(([at, predictedYes]) => {
      const { mark, prediction } = steps[at] ?? {};
      if (!prediction || predictedYes === null || mark.gap === null) return [];
      return [[mark.gap, (predictedYes ? prediction.yes : prediction.no).toLowerCase(), predictedYes === prediction.right]];
    });
  }
}
