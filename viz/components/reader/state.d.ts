// What the reader tells the server, and names for parts of its data. Offsets in the text are in UTF-16 units.

import type { Moment } from "../shared/component.d.ts";

/** A word for the server and a name for the user. */
export type Offer = [word: string, name: string];

/** From where to where on the scale of the scores. */
export type Extent = [low: number, high: number];

export type Stop = [amount: number, level: number];

/** Events for the server: a dropped line, a chosen column, a marked gap, search settings, a marked answer, a remedy, a change. */
export interface ReaderState {
  line: { column: number; parameter: string; value: number; at: Moment };
  selected: { column: number; at: Moment };
  mark: { gap: number; at: Moment };
  asking: { ask: string; ask_limit: string; at: Moment };
  answer: { start: number | null; end: number | null; at: Moment };
  remedy: { setting?: string; tune?: boolean; at: Moment };
  change: ({ column: number; values: Record<string, number> } | { undo: true }) & { at: Moment };
}
