// What the gallery and the table of measures are sent, and what they tell the server.

import type { Moment } from "../components/shared/component.d.ts";
import type { GalleryData, TableData } from "./page.data.d.ts";

export type ListsData = GalleryData | TableData;

/** Events for the server: a card, or a row of the table. */
export interface ListsState {
  chosen: { id: string; at: Moment } | { column: number; result: string; at: Moment };
}
