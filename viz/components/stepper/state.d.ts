// What the stepper tells the server.

import type { Moment } from "../shared/component.d.ts";

/** Events for the server: the step, from 0, with the time at which the user took it; the chosen pace and whether known boundaries are shown early, with the time of the choice. */
export interface StepperState {
  place: { step: number; at: Moment };
  chosen: { pace: string; known: boolean; at: Moment };
}
