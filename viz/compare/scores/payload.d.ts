// What the table of Compare's columns is sent, and what it tells.

import type { Moment } from "../../components/shared/component.d.ts";

export interface ScoresData {
  /** The paragraphs above and below the table. */
  said: string;
  note: string;
  heads: HeadData[];
  rows: RowData[];
  /** Position of the line in the strips of dots. */
  limit: number | null;
  /** The number of the chosen column. */
  chosen: number;
}

export interface HeadData {
  label: string;
  help: string;
}

export interface RowData {
  /** Null of a trivial answer. */
  column: number | null;
  title: string;
  settings: string;
  /** Why there are no cells. */
  message: string;
  cells: CellData[];
}

export interface CellData {
  text: string;
  /** Sort key; null comes last. */
  value: number | null;
  why: string;
  best: boolean;
  dots: number[];
}

export interface ScoresState {
  chosen: { column: number; at: Moment };
}
