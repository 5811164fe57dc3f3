// What the stepper tells the server.

import type { Moment } from "../shared/component.d.ts";

/** Events for the server: the step, from 0, and the time at which the user took it; and the pace that the user has chosen. */
export interface StepperState {
  place: { at: number; turn: Moment };
  pace: string;
}
