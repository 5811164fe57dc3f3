// What passes.py, corrections.py and similarities.py send.

import type { Range } from "../components/shared/bus.js";

export interface PassesData {
  title: string;
  summary: string;
  /** JSON of `PassRowsData`; empty where there are no rows, and the message says why. */
  made: string;
  source: string;
  message: string;
  tone: string;
}

/** The blocks of each row, by the sentence at which they begin, and the comparisons in their order. */
export interface PassRowsData {
  count: number;
  minis: number[];
  /** Mini-chunks that pass two merged over. */
  snippets: number[];
  chunks: number[];
  other: number[] | null;
  labels: Partial<Record<RowName, string>>;
  names: Record<BlockRow, string>;
  comparisons: ComparisonData[];
}

export type BlockRow = "minis" | "chunks" | "other";
export type RowName = "sentences" | BlockRow;

/** A look at two groups of sentences that might become one. */
export interface ComparisonData {
  pass: 1 | 2;
  kind: "initial" | "appending" | "merging" | "over a snippet" | "over two snippets";
  outcome: "joined" | "not above" | "too long";
  left: Range;
  right: Range;
  /** The sentences of `left` that are compared. */
  compared: Range;
  /** The similarity, and those of the looks before it that did not reach. */
  value: string;
  tried: string[];
  decides: boolean;
  words: string;
}

export interface CorrectionsData {
  title: string;
  words: string[];
  rows: CorrectionData[];
}

export interface CorrectionData {
  sentence: number;
  /** The step that took the boundary away; null where the minimum size did. */
  step: number | null;
  where: string;
  reason: string;
  also: string;
}

export interface SimilaritiesData {
  /** Number of similarities in each part of the axis. */
  counts: number[];
  /** Position of the threshold on the axis, from 0 to 1. */
  at: number;
  words: string;
}
