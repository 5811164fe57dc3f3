// Asks the server what the columns decided at the place that the user looks at, and tells the page. It shows nothing.

import { emit, listen } from "../components/shared/bus.js";
import { found } from "../components/shared/dom.js";
import { countPainted } from "../components/shared/handle.js";
/**
 * @import { AnswerData } from "./verdicts.data.d.ts"
 */

/**
 * @import { Verdicts } from "./verdicts.data.d.ts"
 * @import { Component, Moment } from "../components/shared/component.d.ts"
 */

/** @typedef {Component<AnswerData, { asked: { at: number | null, moment: Moment } }>} Asker */

/** @typedef {HTMLElement & { asker?: Asker, dispose?: () => void }} Root */

/** @param {Asker} component */
export default function (component) {
  const root = /** @type {Root} */ (found(component.parentElement, ".verdicts"));
  root.asker = component;
  root.dispose ??= listen(root, {
    "seamark-disagreement": ({ at }) => root.asker?.setStateValue("asked", { at, moment: performance.now() }),
  });
  if (component.data.answer) emit("seamark-verdicts", component.data.answer);
  countPainted(root);
  return root.dispose;
}
