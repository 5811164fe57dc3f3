// What Streamlit calls a component's script with.

/**
 * One call: the page ran, and the component is on it.
 *
 * `Data` is what the server sends, `State` by its name what the script may tell the server.
 */
export interface Component<Data, State extends object = Record<never, never>> {
  data: Data;
  /** What holds the component's HTML. */
  parentElement: ParentNode;
  /** Tell the server, which runs the page again; the value stays until it is told another. */
  setStateValue<Name extends keyof State>(name: Name, value: State[Name]): void;
}

/** A moment of `performance.now()`, by which the server takes what it is told once. */
export type Moment = number;
