// What the list of findings tells the server.

import type { Moment } from "../shared/component.d.ts";

/** State for the server. */
export interface FindingsState {
  /** The finding that the user chose, and whether to begin or stop the search for changes that remove it. */
  sought: { id: string; search?: boolean; at: Moment };
  /** The change that the user wants as a column, or tested on other texts. */
  remedy: { setting?: string; tune?: boolean; at: Moment };
}
