// What the table of Compare's columns tells the server.

import type { Moment } from "../../components/shared/component.d.ts";

export interface ScoresState {
  chosen: { column: number; at: Moment };
}
