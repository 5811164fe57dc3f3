// A small histogram under a threshold's slider, on the slider's own axis.

import { countPainted } from "../components/shared/component_handle.js";
import { found, svgEl } from "../components/shared/dom.js";

const [WIDTH, HEIGHT] = [200, 30];

/**
 * @import { Component } from "../components/shared/component.d.ts"
 * @import { SimilaritiesData } from "./page.data.d.ts"
 */

/** @param {Component<SimilaritiesData>} component */
export default function ({ data, parentElement }) {
  const root = found(parentElement, ".similarities");
  const [svg, words] = /** @type {[SVGElement, Element]} */ (/** @type {unknown} */ ([...root.children]));
  const most = Math.max(...data.counts, 1);
  const wide = WIDTH / Math.max(1, data.counts.length);
  const bars = data.counts.map((count, bin) => {
    const tall = count ? Math.max(1.5, (count / most) * (HEIGHT - 2)) : 0;
    return svgEl("rect", {
      x: bin * wide + 0.4,
      y: HEIGHT - tall,
      width: wide - 0.8,
      height: tall,
      class: (bin + 0.5) * wide > data.at * WIDTH ? "bar above" : "bar",
    });
  });
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  svg.style.display = data.counts.length ? "" : "none";
  svg.replaceChildren(
    ...bars,
    svgEl("path", { d: `M0 ${HEIGHT}H${WIDTH}`, class: "base" }),
    svgEl("path", { d: `M${data.at * WIDTH} 0V${HEIGHT}`, class: "level" }),
  );
  words.textContent = data.words;
  countPainted(root);
}
