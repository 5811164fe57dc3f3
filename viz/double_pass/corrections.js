// The corrections of pass two: a button for every boundary that it removed.

import { emit, listen } from "../components/shared/bus.js";
import { countPainted } from "../components/shared/component_handle.js";
import { el, found } from "../components/shared/dom.js";

/**
 * @import { Component } from "../components/shared/component.d.ts"
 * @import { CorrectionsData } from "./page.data.d.ts"
 */

/** @param {Component<CorrectionsData>} component */
export default function ({ data, parentElement }) {
  const root = /** @type {HTMLElement & { leave?: () => void }} */ (found(parentElement, ".corrections"));
  // They are what the steps come to: while these build up, they would give it away.
  root.leave ??= listen(root, { "seamark-step": ({ horizon }) => root.classList.toggle("ahead", horizon != null) });
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
    ...data.words.map((line) => el("p", "", line)),
    ...(rows.length ? [list] : []),
  );
  // A stepper that was mounted before repeats its step.
  if (countPainted(root) === 1) emit("seamark-ready", null);
  return root.leave;
}
