// Marks on the strips: the retrieved chunks of each column are highlighted, and the answer has a tick.

/**
 * @import { Column } from "../column.js"
 * @import { Strips } from "../strips.js"
 * @import { Hits } from "./retrieved_chunks.js"
 */

const DIMMED = 0.72; // how much of the page's ground lies over what is not retrieved
const THINNEST = 3; // pixels of a retrieved chunk in a long text

/**
 * @param {Pick<Strips, "axis">} strips
 * @param {HTMLCanvasElement} canvas
 * @param {Column} column
 * @param {Hits | null} hits
 * @param {[from: number, to: number] | null} answer on the axis
 * @returns {string} what is drawn, in words; empty where nothing is
 */
export function markStrip({ axis }, canvas, column, hits, answer) {
  const { segments } = column;
  const pen = canvas.getContext("2d");
  if (!hits || !segments || !pen) return "";
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const { window } = axis;
  const [first, last] = window.inside(segments.from, segments.to);
  pen.fillStyle = axis.colour("page");
  pen.globalAlpha = DIMMED;
  pen.fillRect(0, 0, width, height);
  pen.globalAlpha = 1;
  /** @type {{ rank: number, sentence: number }[]} */
  const shown = [];
  for (let part = first; part < last; part++) {
    const [best] = hits.among(segments.over[part], segments.start[part]);
    if (best === undefined) continue;
    shown.push({ rank: best + 1, sentence: Math.floor(segments.from[part]) + 1 });
    const left = Math.max(0, window.x(segments.from[part], width));
    const to = segments.from[part] + hits.shareOf(segments, part) * (segments.to[part] - segments.from[part]);
    const right = Math.min(width, window.x(to, width));
    pen.fillStyle = axis.colour(`edge-${column.colour(segments.over[part][0])}`);
    pen.fillRect(left, 0, Math.max(THINNEST, right - left - 1), height);
  }
  if (answer) {
    const left = window.x(answer[0], width);
    pen.fillStyle = axis.colour("ink");
    pen.fillRect(left, 0, Math.max(2, window.x(answer[1], width) - left), Math.ceil(height / 3));
  }
  shown.sort((a, b) => a.rank - b.rank);
  const ranks = shown.slice(0, 10).map(({ rank, sentence }) => `rank ${rank} at sentence ${sentence}`);
  return ranks.length ? `; retrieved: ${ranks.join(", ")}` : "; nothing retrieved in sight";
}
