// What gap_table.py sends.

export interface GapTableData {
  /** The name of the text in the store. */
  source: string;
  /** What the scores are. */
  score: string;
  /** Every verdict in words, and whether it is a cut. */
  standing: string[];
  cuts: boolean[];
  /** JSON of `GapRows`. */
  rows: string;
}

/** The gaps, a list a property, in the order of the text. */
export interface GapRows {
  /** The gap of sentences, from 0. */
  gaps: number[];
  scores: (number | null)[];
  /** How far the score lies above the line. */
  away: (number | null)[];
  verdicts: number[];
  /** Whether it is a cut inside a sentence. */
  inside: boolean[];
  /** Whether the score is near the line. */
  near: boolean[];
  reasons: string[];
}
