// A short message, a caption or a heading. It may contain user text, so it is set through textContent.

import { countPainted } from "./shared/component_handle.js";
import { found } from "./shared/dom.js";
/** @import { Component } from "./shared/component.d.ts" */
/** @param {Component<{ text: string, tone: string }>} component */
export default function ({ data, parentElement }) {
  const box = found(parentElement, "p");
  box.textContent = data.text;
  box.className = data.tone;
  const roles = /** @type {Record<string, string>} */ ({ error: "alert", heading: "heading", remark: "note" });
  box.setAttribute("role", roles[data.tone] ?? "status");
  if (data.tone === "heading") box.ariaLevel = "1";
  countPainted(box);
}
