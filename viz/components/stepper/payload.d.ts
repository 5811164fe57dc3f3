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

/** What the store is sent: the steps, as JSON, with the name of what they are. */
export interface StepsData {
  key: string;
  id: string;
  steps: string;
}

/**
 * What the stepper is sent: which steps, at which of them it stands, from 0, and the moment of the user's step that the
 * server heard of last.
 */
export interface StepperData {
  key: string;
  id: string;
  at: number;
  turn: Moment | null;
}

/** What the server is told: the step, from 0, and when the user took it. */
export interface StepperState {
  place: { at: number; turn: Moment };
}
