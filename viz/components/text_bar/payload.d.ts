// What the row on top of a page is sent, and what it tells the server.

import type { Component, Moment } from "../shared/component.d.ts";

export interface TextBarData {
  /** The samples, in the order of the page. */
  documents: DocumentData[];
  /** The name of the user's own text; empty if the session has none. */
  own: string;
  /** The id of the document that is shown. */
  chosen: string;
  /** Facts that are known immediately: sentences, size, language. */
  facts: string;
  /** Why the box must be open; empty if it need not. */
  open: string;
  /** Number of texts that the session took from elsewhere than the box, which is closed then. */
  taken: number;
  /** A word by which the server asks once what text the tab has kept; empty if it does not ask. */
  ask: string;
}

/** A sample. */
export interface DocumentData {
  id: string;
  title: string;
  /** Topic of the sample. */
  about: string;
}

/** Metadata of a text kept in the tab. */
export interface KeptHead {
  name: string;
  /** Known boundaries, counted as Python does, and sent back as they came. */
  known: number[] | null;
  /** True if lines of dashes in it are boundaries; null where it has none. */
  dashes: boolean | null;
  teaches: string;
  /** Number of characters of a text that is too long to be kept; 0 if it is kept. */
  left: number;
  /** True if the server has not seen the text yet, as it was still being written. */
  unseen: boolean;
  /** The server's data on the text's file, such as its pages; returned unchanged. */
  file: string;
}

/** One-time events for the server. */
export interface TextBarEvents {
  chosen: { document: string; at: Moment };
  /** The kept text; null where the tab has none. */
  kept: { head: KeptHead | null; text: string; at: Moment };
}

/** A component that tells the server something once, which does not stay. */
export interface Telling<Data, Events extends object> extends Component<Data> {
  setTriggerValue<Name extends keyof Events>(name: Name, value: Events[Name]): void;
}

/** Request to cut the text in the box. */
export interface TextFootEvents {
  cut: { at: Moment };
}
