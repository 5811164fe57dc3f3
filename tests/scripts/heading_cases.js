// Reads texts as JSON from standard input and writes the headings that the browser finds in each.

import { readFileSync } from "node:fs";
import { looksOf } from "../../viz/components/reader/parts/text_formatting.js";

/** @type {string[]} */
const texts = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(texts.map((text) => looksOf(text).headings)));
