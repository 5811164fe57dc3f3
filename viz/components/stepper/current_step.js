// The current step of a stepper. It outlives the component, which Streamlit may rebuild in any run of the page. A run that began
// before the server received the user's last step still names an earlier one.

/** @import { Turn } from "../shared/bus.js" */

import { Predictions } from "./predictions.js";

const REST = 300; // milliseconds of pause after which the server hears the step

export class CurrentStep {
  at = 0; // from 0
  /** @type {number | null} */ turn = null; // the moment of the user's last step, which the server repeats once it knows it
  /** @type {string | null} */ pace = null; // that the user has chosen; null as long as it is the link's
  /** @type {boolean | null} */ known = null; // whether the user shows known boundaries early; null as long as it is the link's
  predictions = new Predictions();
  /** @type {Map<number | null, number>} */ steps = new Map(); // the user's steps by their moments, since the server's last word
  /** @type {object | null} */ owner = null; // the stepper that shows it now
  /** @type {ReturnType<typeof setTimeout> | null} */ resting = null;
  /** @type {(at: number, turn: number) => void} */ tell = () => {};

  /**
   * Register a stepper, and adopt the server's step unless the server has not received the user's last one yet. A stepper that
   * replaces another, of a page opened again perhaps, adopts it unless it is an earlier one of the user's.
   * @param {object} owner
   * @param {{ at: number, turn: number | null }} answer
   * @param {(at: number, turn: number) => void} tell the server
   */
  hear(owner, { at, turn }, tell) {
    const replaces = this.owner === null;
    this.owner = owner;
    this.tell = tell;
    if (turn === this.turn || (replaces && this.steps.get(turn) !== at)) {
      this.at = at;
      this.turn = turn;
      this.steps = new Map([[turn, at]]);
    } else if (replaces && this.turn !== null) this.go(this.at, this.turn);
  }

  /** The user steps: the server hears of it when the user pauses. */
  go(/** @type {number} */ at, moment = performance.now()) {
    this.at = at;
    this.turn = moment;
    this.steps.set(moment, at);
    this.rest();
    this.resting = setTimeout(() => {
      this.resting = null;
      this.tell(at, moment);
    }, REST);
  }

  /**
   * Answer a lecture's key for a stepper with steps; where Streamlit shows two, or the stepper is about to be replaced, only the
   * owner knows whether steps are left.
   * @param {object} owner
   * @param {Turn} turn
   * @param {boolean} left whether the stepper can step
   * @returns whether it is to step
   */
  take(owner, turn, left) {
    turn.there = true;
    if (this.owner !== owner || turn.taken) return false;
    turn.taken = left;
    turn.over = !left;
    return left;
  }

  /**
   * Unregister a stepper, unless another has replaced it.
   * @param {object} owner
   */
  leave(owner) {
    if (this.owner !== owner) return;
    this.owner = null;
    this.rest();
  }

  /** Tell the server nothing, until the user's next step. */
  rest() {
    if (this.resting) clearTimeout(this.resting);
    this.resting = null;
  }
}

globalThis.seamarkCurrentSteps ??= new Map();
const currentSteps = globalThis.seamarkCurrentSteps;

/**
 * Return the current step of the stepper with that key.
 * @param {string} key
 */
export function currentStepOf(key) {
  const currentStep = currentSteps.get(key) ?? new CurrentStep();
  currentSteps.set(key, currentStep);
  return currentStep;
}

/** Forget all current steps, and steps that the server has not heard of: the link of another scene names the step and the pace. */
export function forgetCurrentSteps() {
  for (const currentStep of currentSteps.values()) currentStep.rest();
  currentSteps.clear();
}
