// Exports of a reader: the link to its state, and a picture of its strips and curve.

import { atDensity, el, paints, saveAs } from "../../shared/dom.js";

/** @import { Axis } from "../axis.js" */
/** @import { Reader } from "../reader.js" */

const DENSITY = 2; // pixels of the picture per pixel of the page, at least
const SHOWN_FOR = 4000; // milliseconds for which a button says what it has done
const AROUND = 16; // pixels around what is drawn
const ABOVE = 28; // pixels above it for the document's name

/** @param {Reader} reader */
export function offerToTake(reader) {
  const row = el("div", "takes");
  const copy = takeButton(
    row,
    "Copy link",
    "Copies the link to what is shown; it carries the settings, never a text of your own",
  );
  const save = takeButton(row, "Save picture", "Saves the strips and the curve as a PNG");
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      sayDone(reader, copy, "Copied");
    } catch {
      sayDone(reader, copy, "Not allowed here: copy it from the address bar");
    }
  });
  save.addEventListener("click", () => {
    const picture = pictureOf(reader);
    picture.toBlob((blob) => blob && saveAs(blob, "seamark-strips.png"));
    sayDone(reader, save, "Saved");
  });
  return row;
}

/**
 * @param {HTMLElement} row
 * @param {string} words
 * @param {string} help
 */
function takeButton(row, words, help) {
  const made = row.appendChild(el("button", "", words));
  made.type = "button";
  made.title = help;
  return made;
}

/**
 * @param {Reader} reader
 * @param {HTMLElement} button
 * @param {string} done
 */
function sayDone(reader, button, done) {
  const words = button.dataset.words ?? button.textContent ?? "";
  button.dataset.words = words;
  button.textContent = reader.live.textContent = done;
  setTimeout(() => (button.textContent = words), SHOWN_FOR);
}

/**
 * Draw the strips and the curve with names, numbers and lines, below the document's name.
 * @param {Reader} reader
 */
export function pictureOf(reader) {
  const { axis, root } = reader;
  const box = axis.root.getBoundingClientRect();
  const field = axis.field.getBoundingClientRect();
  const scale = Math.max(DENSITY, devicePixelRatio || 1);
  const picture = el("canvas");
  picture.width = Math.round((box.width + 2 * AROUND) * scale);
  picture.height = Math.round((ABOVE + field.height + 2 * AROUND) * scale);
  const pen = /** @type {CanvasRenderingContext2D} */ (picture.getContext("2d"));
  const colour = paints(root);
  pen.scale(scale, scale);
  pen.fillStyle = colour("page");
  pen.fillRect(0, 0, picture.width, picture.height);
  pen.translate(AROUND, AROUND);
  pen.fillStyle = colour("ink");
  pen.textBaseline = "middle";
  pen.font = `650 16px ${axis.font}`;
  pen.fillText(reader.data?.title ?? "", 0, ABOVE / 2 - 2, box.width);
  pen.translate(-box.left, ABOVE - field.top);
  atDensity(scale, () => axis.draw());
  for (const canvas of axis.field.querySelectorAll("canvas")) {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    if (width && height && canvas.width) pen.drawImage(canvas, left, top, width, height);
  }
  axis.draw();
  pen.fillStyle = colour("muted");
  for (const name of [...axis.field.querySelectorAll(".strip .name"), axis.plot.label]) writeIn(pen, name, axis);
  drawLines(pen, axis, colour);
  return picture;
}

/**
 * Draw the text of an element at its position on the page.
 * @param {CanvasRenderingContext2D} pen
 * @param {Element} node
 * @param {Axis} axis
 */
function writeIn(pen, node, axis) {
  const { left, top, width, height } = node.getBoundingClientRect();
  if (!width) return;
  const size = parseFloat(getComputedStyle(node).fontSize);
  pen.font = `${size}px ${axis.font}`;
  const words = node.textContent ?? "";
  // The curve's name has two lines next to its numbers.
  const lines = height > 2 * size ? words.split(/(?<=,) /) : [words];
  lines.forEach((line, at) => {
    pen.fillText(line, left, top + (height * (at + 0.5)) / lines.length, width);
  });
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {Axis} axis
 * @param {(name: string) => string} colour
 */
function drawLines(pen, axis, colour) {
  const plot = axis.plot.root.getBoundingClientRect();
  for (const handle of axis.plot.lines.handles) {
    const { top, height } = handle.getBoundingClientRect();
    pen.fillStyle = colour("accent");
    pen.fillRect(plot.left, top + height / 2 - 1, plot.width, 2);
    const label = handle.label.getBoundingClientRect();
    pen.font = `${getComputedStyle(handle.label).fontSize} ${axis.font}`;
    pen.fillText((handle.label.textContent ?? "").replace(" ⇕", ""), label.left + 5, label.top + label.height / 2);
  }
}
