// What stepper.py sends.

import type { Mark } from "../shared/bus.js";

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

/** What the stepper is sent: which steps, and at which of them it stands, from 0. */
export interface StepperData {
  key: string;
  id: string;
  at: number;
}

/** What the server is told: the step, from 0. */
export interface StepperState {
  at: number;
}
