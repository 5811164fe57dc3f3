// A score on a scale, and its threshold as a notch.

import { svgEl } from "../shared/dom.js";
import { round } from "../shared/format.js";

const [LEFT, RIGHT, WIDE] = [10, 190, 200]; // ends of the scale, and the width of the drawing

/** @import { Gauge } from "./stepper.data.d.ts" */

/** @param {Gauge} gauge */
export function drawGauge({ label, score, threshold, low, high }) {
  const name = `${label}: ${round(score)} and ${round(threshold)}`;
  const svg = svgEl("svg", { class: "gauge", viewBox: `0 0 ${WIDE} 38`, role: "img", "aria-label": name });
  const x = (/** @type {number} */ value) => placeOn(value, low, high);
  svgEl("path", { d: `M${LEFT} 20H${RIGHT}`, class: "scale" }, svg);
  svgEl("path", { d: `M${x(threshold)} 13V27`, class: "notch" }, svg);
  svgEl("circle", { cx: x(score), cy: 20, r: 5, class: "score" }, svg);
  svgEl("text", { x: x(score), y: 9, class: "score" }, svg, round(score));
  svgEl("text", { x: x(threshold), y: 37, class: "notch" }, svg, round(threshold));
  return svg;
}

/**
 * Return the position of a value on the scale; the middle if the scale has no length.
 * @param {number} value
 * @param {number} low
 * @param {number} high
 */
export const placeOn = (value, low, high) =>
  high > low ? LEFT + ((value - low) / (high - low)) * (RIGHT - LEFT) : (LEFT + RIGHT) / 2;
