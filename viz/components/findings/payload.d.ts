// What a list of findings is sent.

import type { Range } from "../shared/bus.js";

export interface FindingsData {
  summary: string;
  counts: [title: string, count: number, why: string][];
  /** JSON of `FindingData[]`. */
  rows: string;
  /** Number of findings that are not listed, and their description. */
  more: number;
  less: string;
  /** Text shown without findings; may be empty. */
  nothing: string;
}

export interface FindingData {
  title: string;
  reason: string;
  passage: string;
  range: Range;
}
