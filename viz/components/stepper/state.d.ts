// What the stepper tells the server.

import type { Moment } from "../shared/component.d.ts";

/** Events for the server: the step, from 0, and the time at which the user took it; and the chosen pace, with its time. */
export interface StepperState {
  place: { step: number; at: Moment };
  chosen: { pace: string; at: Moment };
}
