// What a table of measures tells the server.

import type { Moment } from "../shared/component.d.ts";

export interface ScoresState {
  chosen: { column: number; kind: string; at: Moment };
}
