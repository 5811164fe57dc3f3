// What the row on top of a page is sent, and what it tells the server.

import type { Component, Moment } from "../shared/component.d.ts";

export interface TextBarData {
  /** The samples, in the order of the page. */
  documents: DocumentData[];
  /** The name of the user's own text; empty if the session has none. */
  own: string;
  /** The id of the document that is shown. */
  chosen: string;
  /** What is known of it at once: sentences, size, language. */
  facts: string;
  /** Why the box must be open; empty if it need not. */
  open: string;
  /** How many texts the session has taken otherwise than by its box, which is in the way then. */
  taken: number;
  /** A word by which the server asks once what text the tab has kept; empty if it does not ask. */
  ask: string;
}

/** A sample. */
export interface DocumentData {
  id: string;
  title: string;
  /** What it shows. */
  about: string;
}

/** What the tab keeps of a text beside the text. */
export interface KeptHead {
  name: string;
  /** Known boundaries, counted as Python does, and sent back as they came. */
  known: number[] | null;
  /** Whether lines of dashes in it are boundaries; null where it has none. */
  dashes: boolean | null;
  teaches: string;
  /** How many characters the text has if it is too long to be kept; 0 if it is kept. */
  left: number;
  /** Whether the server has not seen the text yet, as it was still being written. */
  unseen: boolean;
  /** What the server knows of the text's file, such as its pages; sent back as it came. */
  file: string;
}

/** What the server is told once. */
export interface TextBarEvents {
  chosen: { document: string; at: Moment };
  /** The kept text; null where the tab has none. */
  kept: { head: KeptHead | null; text: string; at: Moment };
}

/** A component that tells the server something once, which does not stay. */
export interface Telling<Data, Events extends object> extends Component<Data> {
  setTriggerValue<Name extends keyof Events>(name: Name, value: Events[Name]): void;
}

/** That the text in the box is to be cut. */
export interface TextFootEvents {
  cut: { at: Moment };
}
