// What gap_table.py sends.

import type { VerdictData } from "../components/shared/component.d.ts";

export interface GapTableData {
  /** The name of the text in the store. */
  source: string;
  /** Name of the scores. */
  score: string;
  /** JSON of `GapRows`. */
  rows: string;
}

/** The gaps, a list a property, in the order of the text. */
export interface GapRows {
  /** The gap of sentences, from 0. */
  gaps: number[];
  scores: (number | null)[];
  /** Distance of the score above the line. */
  away: (number | null)[];
  /** The verdicts that occur, in the order in which they are sorted, and for every gap a digit: the place of its own. */
  verdicts: StandingData[];
  verdictOf: string;
  /** True if it is a cut inside a sentence. */
  inside: boolean[];
  /** True if the score is near the line. */
  near: boolean[];
  reasons: string[];
}

/** A verdict with the word or two that the table has for it. */
export interface StandingData extends VerdictData {
  standing: string;
}
