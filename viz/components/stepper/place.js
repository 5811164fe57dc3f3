// The current step of a stepper. It outlives the component, which Streamlit may rebuild in any run of the page. A run that began
// before the server received the user's last step still names the previous one.

import { Predictions } from "./predictions.js";

const REST = 300; // milliseconds of pause after which the server hears the step

export class Place {
  at = 0; // from 0
  /** @type {number | null} */ turn = null; // the moment of the user's last step, which the server repeats once it knows it
  /** @type {string | null} */ pace = null; // that the user has chosen; null as long as it is the link's
  /** @type {boolean | null} */ known = null; // whether the user shows known boundaries early; null as long as it is the link's
  predictions = new Predictions();
  /** @type {object | null} */ owner = null; // the stepper that shows it now
  /** @type {ReturnType<typeof setTimeout> | null} */ resting = null;
  /** @type {(at: number, turn: number) => void} */ tell = () => {};

  /**
   * Register a stepper, and adopt the server's step unless the server has not received the user's last one yet.
   * @param {object} owner
   * @param {{ at: number, turn: number | null }} answer
   * @param {(at: number, turn: number) => void} tell the server
   */
  hear(owner, { at, turn }, tell) {
    if (this.owner === null || turn === this.turn) {
      this.at = at;
      this.turn = turn;
    }
    this.owner = owner;
    this.tell = tell;
  }

  /** The user steps: the server hears of it when the user pauses. */
  go(/** @type {number} */ at, moment = performance.now()) {
    this.at = at;
    this.turn = moment;
    if (this.resting) clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      this.resting = null;
      this.tell(at, moment);
    }, REST);
  }

  /**
   * Unregister a stepper, unless another has replaced it.
   * @param {object} owner
   */
  leave(owner) {
    if (this.owner !== owner) return;
    this.owner = null;
    if (this.resting) clearTimeout(this.resting);
    this.resting = null;
  }
}

globalThis.seamarkPlaces ??= new Map();
const places = globalThis.seamarkPlaces;

/**
 * Return the place of the stepper with that key.
 * @param {string} key
 */
export function placeOf(key) {
  const place = places.get(key) ?? new Place();
  places.set(key, place);
  return place;
}

/** Forget all places: the link of another scene names the step and the pace. */
export const forgetPlaces = () => places.clear();
