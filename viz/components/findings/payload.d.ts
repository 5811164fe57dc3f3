// What a list of findings is sent.

import type { Range } from "../shared/bus.js";

export interface FindingsData {
  summary: string;
  counts: [title: string, count: number, why: string][];
  /** JSON of `FindingData[]`. */
  rows: string;
  /** How many findings are not listed, and what these are. */
  more: number;
  less: string;
  /** What stands there where there is no finding; may be empty. */
  nothing: string;
}

export interface FindingData {
  title: string;
  reason: string;
  passage: string;
  range: Range;
}
