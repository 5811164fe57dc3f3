// What the gallery and the table of measures send.

import type { Moment } from "../components/shared/component.d.ts";

export type ListsData = GalleryData | TableData;

export interface GalleryData {
  part: "gallery";
  cards: CardData[];
  chosen: string;
}

export interface CardData {
  id: string;
  title: string;
  teaches: string;
  known: string;
}

export interface TableData {
  part: "table";
  /** Each with what it means, or with an empty text. */
  head: [title: string, about: string][];
  rows: MeasuredData[];
  chosen: ChosenData;
  note: string;
}

/** Row: the origin of its settings, and the number of the chunker or of Compare's column. */
export interface ChosenData {
  column: number;
  result: string;
}

export interface MeasuredData extends ChosenData {
  title: string;
  which: string;
  settings: string;
  /** Empty where there is no result, and the message says why. */
  cells: CellData[];
  message: string;
}

export interface CellData {
  text: string;
  /** Why there is no value. */
  why: string;
  /** True if no other row is better. */
  best: boolean;
}

/** Events for the server: a card, or a row of the table. */
export interface ListsState {
  chosen: { id: string; at: Moment } | { column: number; result: string; at: Moment };
}
