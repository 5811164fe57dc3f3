// What the row on top of a page tells the server.

import type { Component, Moment } from "../shared/component.d.ts";
import type { TabTextMetadata } from "./text_bar.data.d.ts";

/** One-time events for the server. */
export interface TextBarEvents {
  chosen: { document: string; at: Moment };
  /** The kept text; null where the tab has none. */
  kept: { head: TabTextMetadata | null; text: string; at: Moment };
  /** The kept questions, as JSON. */
  questions: { questions: string; at: Moment };
  /** What the user wants of the storage chip: to keep the document, to remove it, or its session file. */
  storage: { act: "keep" | "remove" | "file"; at: Moment };
}

/** A component that tells the server something once, which does not stay. */
export interface Telling<Data, Events extends object> extends Component<Data> {
  setTriggerValue<Name extends keyof Events>(name: Name, value: Events[Name]): void;
}

/** Request to cut the text in the box. */
export interface TextFootEvents {
  cut: { at: Moment };
}
