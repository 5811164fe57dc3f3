// Scrolls to the view opened below the text, whose buttons are at the lower edge of the window. Draws nothing.

import { countPainted } from "../components/shared/component_handle.js";
import { found } from "../components/shared/dom.js";
/** @import { Component } from "../components/shared/component.d.ts" */

/** @param {Component<{ view: string }>} component */
export default function ({ data, parentElement }) {
  const root = /** @type {HTMLElement & { view?: string }} */ (found(parentElement, ".arrival"));
  if (root.view !== data.view) {
    root.view = data.view;
    const tree = root.getRootNode();
    const host = tree instanceof ShadowRoot ? tree.host : root;
    host.closest(".st-key-below_view")?.scrollIntoView({ block: "nearest" });
  }
  countPainted(root);
}
