// What payload.py declares, in the types of scripts. Places in the text are in UTF-16 units; a place on the axis is the number of
// a sentence, with the part of it that lies before the place.

import type { Moment, VerdictData } from "../shared/component.d.ts";

export interface ReaderData {
  /** The name of the text in the store. */
  source: string;
  title: string;
  summary: string;
  /** The number of the column that the side bar sets. */
  selected: number;
  /** True if the reader has an axis. */
  axis: boolean;
  /** The moment of the last move of a line that the server has heard of. */
  heard: Moment | null;
  /** Greatest distance from a line at which a gap is near it; 0 for none. */
  margin: number;
  /** True if boundaries are marked by clicks between sentences. */
  marking: boolean;
  /** True if the page is in lecture mode, which has keys of its own. */
  lecture: boolean;
  /** Settings of a question; null if none can be asked. */
  asking: AskingData | null;
  /** The known boundaries in the text, and on the axis; null where none are known. */
  known: number[] | null;
  knownAt: number[];
  columns: ColumnData[];
}

/** The question that is asked, and how. */
export interface AskingData {
  question: string;
  /** The ways to rank chunks, and the one that is chosen. */
  methods: Offer[];
  method: string;
  /** Limits on retrieval, and the chosen one. */
  limits: Offer[];
  limit: string;
}

/** A word for the server and a name for the user. */
export type Offer = [word: string, name: string];

/** A column's head, and its body as JSON of `ColumnBody` with its hash; both are empty where there is no result. */
export interface ColumnData {
  title: string;
  subtitle: string;
  /** Text under the name; the rows are folded beneath it. */
  brief: [words: string, tone: string][];
  rows: [label: string, value: string, tone: string][];
  table: string[][];
  notes: string[];
  /** Reason for a missing result. */
  message: string;
  tone: string;
  /** Sentences that are not in the chunk of their section. */
  wrong: number[];
  hash: string;
  body: string;
}

export interface ColumnBody {
  segments: Segments;
  curve: CurveData | null;
}

/** The parts of the text, a list a property, in the order of the text. */
export interface Segments {
  start: number[];
  end: number[];
  /** The numbers of the chunks over a part. */
  over: number[][];
  /** Start and end on the axis. */
  from: number[];
  to: number[];
  /** Why the part begins here. */
  label: string[];
  tone: string[];
  /** The ground of every chunk; a preview has none. */
  colours?: number[];
  /** Contexts that chunks repeat next to their text; a preview has none. */
  contexts?: string[];
  /** For every part the number, from 1, of what the chunk that begins there repeats, 0 for nothing; empty where none does. */
  context?: number[];
  /** The chunks that lie in several places. */
  split: number[];
  /** Text that a language model wrote for every chunk; empty if it wrote none, and a preview has none. */
  stated?: StatedData[];
}

/**
 * Text that a language model wrote for the chunk that begins with part `at`; title and summary may be empty. Left out are the
 * propositions whose quotation is not in the text: each is with the first chunk that has some of the sentence that it names,
 * or with the first of all if none has.
 */
export interface StatedData {
  at: number;
  title: string;
  summary: string;
  propositions: PropositionData[];
  left_out: PropositionData[];
}

/** A proposition, where its source is in the text, the sentences of that, and what is to be known about it. */
export interface PropositionData {
  text: string;
  start: number;
  end: number;
  first: number;
  last: number;
  remark: string;
}

/** From where to where on the scale of the scores. */
export type Extent = [low: number, high: number];

/** The scores of a chunker's gaps, and the lines that they are compared with. */
export interface CurveData {
  label: string;
  /** A score for every gap; null where there is none. */
  scores: (number | null)[];
  /** True if a gap is cut whose score lies above the line, or one whose score lies below. */
  above: boolean;
  /** True if the line alone makes the candidates, so that the browser can preview them. */
  live: boolean;
  /** True if a size changed a verdict. */
  constrained: boolean;
  /** The verdicts that occur, and for every gap a digit: the place of its verdict among them. */
  verdicts: VerdictData[];
  verdictOf: string;
  /** Why each gap was cut or not; null where there are too many to send. */
  reasons: string[] | null;
  lines: LineData[];
  /** Between which levels the middle half of the scores lies where the text is shuffled; null where that is not known. */
  null: Extent | null;
}

/** A threshold: an amount and the level on the curve that it gives. */
export interface LineData {
  label: string;
  level: number | null;
  parameter: string;
  value: number;
  stops: Stop[];
  /** The column's subtitle before the amount and after it; null where the amount is not in it. */
  around: [before: string, after: string] | null;
}

export type Stop = [amount: number, level: number];

/** Events for the server: a dropped line, a chosen column, a marked gap, search settings, a marked answer. */
export interface ReaderState {
  line: { column: number; parameter: string; value: number; at: Moment };
  selected: { column: number; at: Moment };
  mark: { gap: number; at: Moment };
  asking: { ask: string; ask_limit: string; at: Moment };
  answer: { start: number | null; end: number | null; at: Moment };
}
