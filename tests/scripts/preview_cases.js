// Reads cases from standard input and writes what the browser draws in each while a line is dragged to a level: its parts, or
// null where the server's own verdicts are drawn. The test of it is in tests/viz/components/test_preview.py.

import { readFileSync } from "node:fs";
import { previewOf } from "../../viz/components/reader/column.js";
import { candidateCuts } from "../../viz/components/reader/threshold_lines.js";

/**
 * @import { CurveData } from "../../viz/components/reader/payload.data.d.ts"
 * @typedef {{ sentences: { starts: number[], ends: number[] }, curve: CurveData, known: number[] | null, level: number }} Case
 */

/** @type {Case[]} */
const cases = JSON.parse(readFileSync(0, "utf8"));
const previews = cases.map(({ sentences, curve, known, level }) => {
  const cuts = candidateCuts(curve, level);
  return cuts && previewOf(sentences, curve, known, cuts, level);
});
process.stdout.write(JSON.stringify(previews));
