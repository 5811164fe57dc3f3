// The button that opens Compare at a passage. The new page shares only the window with this one.

import { emit, listen, NOTHING } from "../../components/shared/bus.js";
import { countPainted } from "../../components/shared/component_handle.js";
import { el, found, isDark } from "../../components/shared/dom.js";
/**
 * @import { OnCompareData } from "./missed_excerpts.data.d.ts"
 */

/**
 * @import { Component, Moment } from "../../components/shared/component.d.ts"
 */
/** @param {Component<OnCompareData, { open: { at: Moment } }>} component */
export default function ({ data, parentElement, setStateValue }) {
  const root = found(parentElement, ".on-compare");
  root.dataset.theme = isDark(root) ? "dark" : "light";
  const button = el("button", "", data.label);
  button.addEventListener("click", () => {
    // Jump once, when the text has arrived; by then this root has been removed with its page.
    const letGo = listen(root, {
      "seamark-ready": () => {
        emit("seamark-step", { ...NOTHING, next: data.range });
        letGo();
      },
    });
    setStateValue("open", { at: performance.now() });
  });
  root.replaceChildren(button);
  countPainted(root);
}
