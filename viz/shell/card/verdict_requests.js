// Requests the columns' verdicts at the user's position from the server, and passes them to the page. Draws nothing.

import { emit, listen } from "../../components/shared/bus.js";
import { countPainted } from "../../components/shared/component_handle.js";
import { found } from "../../components/shared/dom.js";

/**
 * @import { AnswerData } from "./verdicts.data.d.ts"
 */

/**
 * @import { DetailOf } from "../../components/shared/bus.js"
 * @import { Component, Moment } from "../../components/shared/component.d.ts"
 */

const PAUSE = 100; // milliseconds until the server is asked again how far a preview is

/** @typedef {DetailOf<"seamark-disagreement">} Place */
/** @typedef {Component<AnswerData, { asked: Place & { moment: Moment } }>} Asker */
/**
 * @typedef {HTMLElement & { asker?: Asker, place?: Place, moment?: number, later?: ReturnType<typeof setTimeout>,
 *   dispose?: () => void }} Root
 */

/** @param {Asker} component */
export default function (component) {
  const root = /** @type {Root} */ (found(component.parentElement, ".verdicts"));
  root.asker = component;
  const ask = () => {
    clearTimeout(root.later);
    if (!root.place) return;
    root.moment = performance.now();
    root.asker?.setStateValue("asked", { ...root.place, moment: root.moment });
  };
  root.dispose ??= listen(
    root,
    {
      "seamark-disagreement": (place) => {
        root.place = place;
        ask();
      },
    },
    () => clearTimeout(root.later),
  );
  const { answer, moment } = component.data;
  // The answer to an earlier request, without the preview that the user has opened since, would close that preview.
  if (root.moment === undefined || moment === root.moment) {
    if (answer) emit("seamark-verdicts", answer);
    clearTimeout(root.later);
    if (answer?.preview?.state === "working") root.later = setTimeout(ask, PAUSE);
  }
  countPainted(root);
  return root.dispose;
}
