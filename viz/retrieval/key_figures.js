// The key figures of a page, in large type side by side.

import { countPainted } from "../components/shared/component_handle.js";
import { el, found } from "../components/shared/dom.js";

/** @import { Component } from "../components/shared/component.d.ts" */

/** @param {Component<{ cells: [label: string, value: string, detail: string][] }>} component */
export default function ({ data, parentElement }) {
  const list = found(parentElement, "dl");
  list.replaceChildren(
    ...data.cells.map(([label, value, detail]) => {
      const cell = el("div");
      cell.append(el("dt", "", label), el("dd", "", value), el("dd", "detail", detail));
      return cell;
    }),
  );
  countPainted(list);
}
