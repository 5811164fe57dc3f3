// A short message. It may quote user text, so it is set through textContent.

import { found } from "./shared/dom.js";
import { countPainted } from "./shared/handle.js";
/** @import { Component } from "./shared/component.d.ts" */
/** @param {Component<{ text: string, tone: string }>} component */
export default function ({ data, parentElement }) {
  const box = found(parentElement, "p");
  box.textContent = data.text;
  box.className = data.tone;
  box.setAttribute("role", data.tone === "error" ? "alert" : "status");
  countPainted(box);
}
