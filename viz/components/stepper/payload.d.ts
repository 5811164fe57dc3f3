// What stepper.py sends.

import type { Range } from "../shared/component.d.ts";

/** What the reader shows of a step: sentences, and the gap to point at on the curve. */
export interface Mark {
  growing: Range | null;
  next: Range | null;
  middle: Range | null;
  gap: number | null;
  /** The number of the comparison that it is about, on the page that draws comparisons. */
  comparison?: number | null;
}

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
