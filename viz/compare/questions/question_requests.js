// Sends questions to the server, polls while it works, and passes the results to the page. Draws nothing.

import { emit, listen } from "../../components/shared/bus.js";
import { countPainted } from "../../components/shared/component_handle.js";
import { found } from "../../components/shared/dom.js";

/**
 * @import { Asked } from "./question_search.data.d.ts"
 * @import { Component, Moment } from "../../components/shared/component.d.ts"
 */

const PAUSE = 100; // milliseconds until the server is asked again how far it is

/** @typedef {{ question: string | null, stop?: boolean, again?: boolean, search?: boolean, moment: Moment }} Told */
/** @typedef {Component<Asked, { asked: Told }>} Asker */
/** @typedef {HTMLElement & { asker?: Asker, later?: ReturnType<typeof setTimeout>, dispose?: () => void }} Root */

/** @param {Asker} component */
export default function (component) {
  const root = /** @type {Root} */ (found(component.parentElement, ".asker"));
  root.asker = component;
  root.dispose ??= listen(
    root,
    {
      "seamark-ask": (told) => {
        clearTimeout(root.later);
        root.asker?.setStateValue("asked", told);
      },
    },
    () => clearTimeout(root.later),
  );
  const asked = component.data;
  emit("seamark-asked", asked);
  clearTimeout(root.later);
  if (asked.state === "working" || asked.remedies.some((remedies) => remedies?.state === "looking"))
    root.later = setTimeout(() => {
      root.asker?.setStateValue("asked", { question: "", again: true, moment: performance.now() });
    }, PAUSE);
  countPainted(root);
  return root.dispose;
}
