// The cuts that a previewed change would add or remove, as signs on a strip, distinguished by shape and not by colour alone.

import { fit } from "../../shared/dom.js";

/** @import { Axis } from "../axis.js" */

const WIDE = 3.5; // pixels of a sign on either side of its place
const ROOM = 12; // pixels a sign below which ticks stand for the signs

/**
 * @param {Pick<Axis, "colour" | "window">} axis
 * @param {HTMLCanvasElement} canvas
 * @param {number[]} added places on the axis
 * @param {number[]} removed
 */
export function paintPreviewedCuts({ colour, window }, canvas, added, removed) {
  const pen = fit(canvas);
  const { clientWidth: width, clientHeight: height } = canvas;
  const seen = [added, removed].map((places) => places.filter((at) => window.holds(at)));
  const crowded = (seen[0].length + seen[1].length) * ROOM > width;
  const path = new Path2D();
  seen.forEach((places, kind) => {
    const sign = crowded ? tick : kind ? cross : wedge;
    for (const at of places) sign(path, Math.round(window.x(at, width)), height, kind);
  });
  pen.lineJoin = "round";
  if (!crowded) {
    // A border in the page's colour, so that the sign is visible on any background.
    pen.strokeStyle = colour("page");
    pen.lineWidth = 4.5;
    pen.stroke(path);
  }
  pen.strokeStyle = pen.fillStyle = colour("ink");
  pen.lineWidth = crowded ? 1.2 : 1.8;
  pen.stroke(path);
  pen.fill(path);
}

/** @typedef {(path: Path2D, x: number, height: number, kind: number) => void} Sign */

/**
 * With many signs, draw added cuts in the upper half and removed ones in the lower.
 * @type {Sign}
 */
function tick(path, x, height, kind) {
  path.moveTo(x, kind ? height / 2 : 0);
  path.lineTo(x, kind ? height : height / 2);
}

/** @type {Sign} */
function cross(path, x, height) {
  const middle = height / 2;
  path.moveTo(x - WIDE, middle - WIDE);
  path.lineTo(x + WIDE, middle + WIDE);
  path.moveTo(x + WIDE, middle - WIDE);
  path.lineTo(x - WIDE, middle + WIDE);
}

/** @type {Sign} */
function wedge(path, x, height) {
  path.moveTo(x - WIDE, 0.5);
  path.lineTo(x + WIDE, 0.5);
  path.lineTo(x, 2 * WIDE - 1);
  path.closePath();
  path.moveTo(x, 0);
  path.lineTo(x, height);
}
