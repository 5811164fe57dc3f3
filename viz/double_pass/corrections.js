// What pass two corrected: a button for every boundary that it removed.

import { emit } from "../components/shared/bus.js";
import { el, found } from "../components/shared/dom.js";
import { countPainted } from "../components/shared/handle.js";

/**
 * @import { Component } from "../components/shared/component.d.ts"
 * @import { CorrectionsData } from "./corrections.data.d.ts"
 */

/** @param {Component<CorrectionsData>} component */
export default function ({ data, parentElement }) {
  const root = found(parentElement, ".corrections");
  const rows = data.rows.map(({ sentence, step, where, reason, also }) => {
    const button = el("button");
    button.append(el("b", "", where), el("span", "", reason));
    if (also) button.append(el("i", "", also));
    button.addEventListener("click", () => {
      emit("seamark-jump", { sentence });
      if (step !== null) emit("seamark-go", { at: step });
    });
    button.addEventListener("pointerenter", () => emit("seamark-mark", { ranges: [[sentence - 1, sentence + 1]] }));
    button.addEventListener("pointerleave", () => emit("seamark-mark", { ranges: [] }));
    const item = el("li");
    item.append(button);
    return item;
  });
  const list = el("ol");
  list.append(...rows);
  root.replaceChildren(
    el("h2", "", data.title),
    ...data.words.map((said) => el("p", "", said)),
    ...(rows.length ? [list] : []),
  );
  countPainted(root);
}
