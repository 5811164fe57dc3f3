// What the scripts of all components are called with, and what they share.

import type { TextHead } from "../browser_exchange.data.d.ts";
import type { Step } from "../stepper/stepper.data.d.ts";

/**
 * One call: the page ran, and the component is on it.
 *
 * `Data` is what the server sends, `State` by its name what the script may tell the server.
 */
export interface Component<Data, State extends object = Record<never, never>> {
  data: Data;
  /** Element with the component's HTML. */
  parentElement: ParentNode;
  /** Tell the server, which runs the page again; the value stays until it is told another. */
  setStateValue<Name extends keyof State>(name: Name, value: State[Name]): void;
}

/** A moment of `performance.now()`, by which the server takes what it is told once. */
export type Moment = number;

/** A text with its sentences, its looks, and the pages or chapters of its file where it has some, in UTF-16 units. */
export interface StoredText extends Omit<TextHead, "id"> {
  text: string;
}

/** The steps of a stepper, and the name of what they are. */
export interface StoredSteps {
  id: string;
  steps: Step[];
}

/** Mean distances in meaning: `cells` rows of `cells` numbers, 65535 for 1. */
export interface Matrix {
  cells: number;
  meaning: Uint16Array;
}

declare global {
  /** Data that the browser's page keeps for its components; store.js alone uses it. */
  var seamarkStore:
    | { texts: Map<string, StoredText>; steps: Map<string, StoredSteps>; matrices: Map<string, Matrix> }
    | undefined;
  /** State left by the keys of lecture mode; column_keys.js alone uses it. */
  var seamarkLecture: import("../reader/parts/column_keys.js").LectureState | undefined;
  /** The shown part of a lecture; lecture_bar.js alone writes it. */
  var seamarkDeck: import("../../shell/lecture_bar.js").DeckState | undefined;
  /** The question that is being typed; question_typing.js alone uses it. */
  var seamarkTyping: import("../reader/ask/question_typing.js").Typing | undefined;
  /** Current steps of the steppers; current_step.js alone uses it. */
  var seamarkCurrentSteps: Map<string, import("../stepper/current_step.js").CurrentStep> | undefined;
  /** The component that marked a step last. */
  var seamarkStepper: object | undefined;
}
