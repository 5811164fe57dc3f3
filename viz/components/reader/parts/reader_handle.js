// The state that a reader exposes to tests and benchmarks, described in docs/testing.md.

/** @import { Reader } from "../reader.js" */

/** @param {Reader} reader */
export function handleOf(reader) {
  const { plot, window } = reader.axis;
  return {
    get ready() {
      return (
        reader.drawn !== undefined &&
        reader.drawn === reader.data &&
        reader.columns.every((column) => column.segments && !column.previewed)
      );
    },
    get text() {
      return reader.text ?? null;
    },
    get sentences() {
      return reader.sentences ?? 0;
    },
    get columns() {
      return reader.columns.map((column) => column.handle());
    },
    get lines() {
      return plot.lines.list.map(({ level, value }) => ({ level, value }));
    },
    get dragging() {
      return plot.lines.dragging;
    },
    get gap() {
      return plot.gap ?? null;
    },
    get pointed() {
      return window.lookedAt ?? null;
    },
    get window() {
      return window.handle();
    },
    get asking() {
      return reader.asking.handle();
    },
    get disagreement() {
      return reader.disagreements.handle();
    },
  };
}
