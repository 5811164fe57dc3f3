// Detection of code, tables and formulas in a text, which are drawn in a monospaced font.

const FENCE = /^ {0,3}(`{3,}|~{3,}|\$\$)/;
const INDENTED = /^(?: {4}|\t)[ \t]*\S/;
const QUOTED = /^(?: {0,3}>)+ ?/; // the marks before a line of a quotation
const LIST = /^\s*(?:[-*+•]|\d+[.)])\s/;
// These take linear time in the length of a line.
const RULE = /^\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)+\|?$/; // under the heads of a table
const CODE = /[()=<>[\]]|^(?:class|def|do|elif|else|for|function|if|switch|try|while|with)\b/;
// A line that relates two terms without a run of words.
const RELATION = /\S\s+(?:[=<>≤≥≈≡∝]|[<>!=:]=)\s+\S/;
const PROSE = /[\p{L}]{2,},?\s+[\p{L}]{2,}|[\p{L}]{2}[.!?]$/u;
const LONGER = 160; // characters of a line that is a paragraph, however it begins
const STATEMENTS = [
  /[;{}([,]$|\):$|^\s*[)\]}]+[,;:]?$/, // the end of a line of code, or closing brackets alone
  /^\s*[\w.[\]"']+(?:\(.*\))?\s*[-+*/|]?=\s*\S/, // an assignment
  /^\s*(?:class|const|def|export|from|function|import|#include|let|return)\b[^.]*$/,
  /^\s*(?:\/\/|\/\*|\*\s|@\w)/, // a comment or a decorator
];
const SHIFTED = /^(?: {2}|\t)/;
// The least share of statements, and of statements and indented lines, in source code. Of 199 files of Python, JavaScript and
// C 174 have both; of 53 documents only the bundled source code has.
const [LEAST_STATEMENTS, LEAST_SOURCE] = [0.2, 0.6];

/**
 * Return the ranges of code, tables and formulas in a text, as alternating ascending starts and ends.
 * @param {string} text
 * @returns {number[]}
 */
export function monoRanges(text) {
  const lines = linesOf(text);
  const mono = new Array(lines.length).fill(false);
  // Remove quotation markers: they are not relational signs, and a table may be quoted.
  const bare = lines.map(({ start, words }) => ({ start, words: words.replace(QUOTED, "") }));
  markFences(lines, mono);
  markTables(bare, mono);
  markIndented(lines, mono);
  bare.forEach(({ words }, at) => {
    if (words.length < LONGER && RELATION.test(words) && !PROSE.test(words)) mono[at] = true;
  });
  /** @type {number[]} */
  const ranges = [];
  lines.forEach(({ start, words }, at) => {
    if (!mono[at]) return;
    const end = start + words.length;
    if (at && mono[at - 1]) ranges[ranges.length - 1] = end;
    else ranges.push(start, end);
  });
  return ranges;
}

/**
 * Return whether a whole text is source code, in which a line with a number sign is a comment and no heading.
 * @param {Line[]} lines
 */
export function isSource(lines) {
  const written = lines.map(({ words }) => words.trimEnd()).filter(Boolean);
  if (written.some((words) => FENCE.test(words))) return false;
  const statements = written.filter((words) => words.length < LONGER && isStatement(words)).length;
  const shifted = written.filter((words) => SHIFTED.test(words)).length;
  return statements > LEAST_STATEMENTS * written.length && statements + shifted > LEAST_SOURCE * written.length;
}

/**
 * @typedef {{ start: number, words: string }} Line
 * @param {string} text
 * @returns {Line[]}
 */
export function linesOf(text) {
  const lines = [];
  let start = 0;
  for (const words of text.split("\n")) {
    lines.push({ start, words: words.endsWith("\r") ? words.slice(0, -1) : words });
    start += words.length + 1;
  }
  return lines;
}

/**
 * Return the lines between two fences, including both; unclosed fences are ignored.
 * @param {Line[]} lines
 * @param {boolean[]} mono
 */
export function markFences(lines, mono) {
  let opened = -1;
  let sign = "";
  lines.forEach(({ words }, at) => {
    const fence = FENCE.exec(words)?.[1];
    if (!fence) return;
    if (opened < 0) {
      // A formula between two signs on one line closes itself.
      if (fence === "$$" && words.trim().length > 2) mono[at] ||= words.trim().endsWith("$$");
      else [opened, sign] = [at, fence];
    } else if (fence.startsWith(sign) && words.trim() === fence) {
      mono.fill(true, opened, at + 1);
      opened = -1;
    }
  });
}

/**
 * @param {Line[]} lines
 * @param {boolean[]} mono
 */
function markTables(lines, mono) {
  let row = 0; // the first below the last table
  lines.forEach((line, at) => {
    const words = line.words.trim();
    if (words.length > 1 && words.startsWith("|") && words.endsWith("|")) mono[at] = true;
    if (at < row || !RULE.test(words) || !lines[at - 1]?.words.includes("|")) return;
    mono[at - 1] = true;
    for (row = at; lines[row]?.words.includes("|"); row++) mono[row] = true;
  });
}

/**
 * Return runs of indented lines with the line that opens them, unless they continue a list item or a paragraph.
 * @param {Line[]} lines
 * @param {boolean[]} mono
 */
function markIndented(lines, mono) {
  const words = (/** @type {number} */ at) => lines[at]?.words ?? "";
  const indented = (/** @type {number} */ at) => INDENTED.test(words(at)) && words(at).length < LONGER;
  for (let at = 0; at < lines.length; at++) {
    if (!indented(at) || mono[at]) continue;
    let end = at + 1;
    while (indented(end) || (!words(end).trim() && indented(end + 1))) end++;
    const opens = opensCode(words(at - 1).trim());
    const apart = !words(at - 1).trim() && !words(end).trim();
    const inList = LIST.test(words(at)) || LIST.test(words(lastWritten(lines, at)));
    if (opens || (apart && !inList)) {
      mono.fill(true, at, end);
      if (opens) mono[at - 1] = true;
    }
    at = end;
  }
}

/** @param {string} words of a line */
const isStatement = (words) => STATEMENTS.some((pattern) => pattern.test(words));

/** @param {string} words of a line */
const opensCode = (words) => (words.endsWith(":") || words.endsWith("{")) && CODE.test(words);

/**
 * Return the last non-empty line before another line.
 * @param {Line[]} lines
 * @param {number} before
 */
function lastWritten(lines, before) {
  let at = before - 1;
  while (at > 0 && !lines[at].words.trim()) at--;
  return at;
}
