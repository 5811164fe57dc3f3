// What the gallery, the table of measures and the inbox send.

import type { Range } from "../components/shared/bus.js";
import type { Moment } from "../components/shared/component.d.ts";

export type ListsData = GalleryData | TableData | InboxData;

export interface GalleryData {
  part: "gallery";
  cards: { id: string; title: string; teaches: string; known: string }[];
  chosen: string;
}

export interface TableData {
  part: "table";
  head: string[];
  rows: {
    column: number;
    result: string;
    title: string;
    which: string;
    settings: string;
    /** Empty where there is no result, and the message says why. */
    cells: { text: string; why: string; best: boolean }[];
    message: string;
  }[];
  chosen: { column: number; result: string };
  note: string;
}

export interface InboxData {
  part: "inbox";
  source: string;
  summary: string;
  counts: [title: string, count: number, why: string][];
  /** JSON of `Finding[]`. */
  rows: string;
  /** How many findings are not listed. */
  more: number;
}

export interface Finding {
  title: string;
  reason: string;
  passage: string;
  range: Range;
}

/** What the server is told: a card, or a row of the table. */
export interface ListsState {
  chosen: { id: string; at: Moment } | { column: number; result: string; at: Moment };
}
