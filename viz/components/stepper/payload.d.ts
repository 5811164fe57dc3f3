// What stepper.py sends.

import type { Mark } from "../shared/bus.js";
import type { Moment } from "../shared/component.d.ts";

export interface Step {
  title: string;
  story: string[];
  numbers: [label: string, value: string][];
  tone: "" | "cut" | "turn";
  mark: Mark;
}

/** Payload of the store: the steps, as JSON, with their identifier. */
export interface StepsData {
  key: string;
  id: string;
  steps: string;
}

/**
 * Payload of the stepper: its steps, the current step, from 0, and the time of the last user's step that the server knows.
 */
export interface StepperData {
  key: string;
  id: string;
  at: number;
  turn: Moment | null;
}

/** Events for the server: the step, from 0, and the time at which the user took it. */
export interface StepperState {
  place: { at: number; turn: Moment };
}
