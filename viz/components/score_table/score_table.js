// A table of measures: a click on a header sorts it and explains the measure, a click on a row chooses the row.

import { countPainted } from "../shared/component_handle.js";
import { all, el, fit, found, isDark, keepFocus, paints } from "../shared/dom.js";

/**
 * @import { Component } from "../shared/component.d.ts"
 * @import { ScoresState } from "./state.d.ts"
 * @import { CellData, RowData, ScoresData } from "./score_table.data.d.ts"
 * @typedef {Component<ScoresData, ScoresState>} Scores
 * @typedef {{ head: string, down: boolean }} Order by the label of a head
 * @typedef {HTMLElement & { drawn?: string, order?: Order }} Root
 */

const MOST_DOTS = 2000; // chunks that a strip shows

/**
 * The roles of a table's parts. Not every browser keeps them by itself where a narrow window lays rows out as grids.
 * @type {[string, string][]}
 */
const ROLES = [
  ["table", "table"],
  ["thead, tbody", "rowgroup"],
  ["tr", "row"],
  ["th[scope=col]", "columnheader"],
  ["th[scope=row]", "rowheader"],
  ["td", "cell"],
];

/**
 * Headers with possible line breaks, for narrow tables.
 * @type {Record<string, string>}
 */
const HYPHENATED = { Misassigned: "Mis\u00adassigned", WindowDiff: "Window\u00adDiff", Crossing: "Cross\u00ading" };

/** @param {Scores} component */
export default function (component) {
  const root = /** @type {Root} */ (found(component.parentElement, ".scores"));
  root.dataset.theme = isDark(root) ? "dark" : "light";
  countPainted(root);
  // Redraw only if something changed: a redraw between press and release of a button would lose the click.
  const drawn = `${root.dataset.theme} ${JSON.stringify(component.data)}`;
  if (root.drawn === drawn) return;
  root.drawn = drawn;
  keepFocus(root, () => draw(root, component));
}

/**
 * @param {Root} root
 * @param {Scores} component
 */
function draw(root, component) {
  const { data } = component;
  root.classList.toggle("compact", data.compact);
  const heads = [{ label: data.names, help: "" }, ...data.heads];
  const table = el("table");
  const line = table.createTHead().insertRow();
  for (const { label, help } of heads) {
    const head = line.appendChild(el("th"));
    head.scope = "col";
    const button = head.appendChild(
      el("button", help ? "explained" : "", data.compact ? (HYPHENATED[label] ?? label) : label),
    );
    button.type = "button";
    button.title = help;
    button.dataset.act = `sort ${label}`;
    if (root.order?.head === label) head.setAttribute("aria-sort", root.order.down ? "descending" : "ascending");
    button.addEventListener("click", () => {
      root.order = nextOrder(root.order, label);
      keepFocus(root, () => draw(root, component));
    });
  }
  const body = table.createTBody();
  const most = Math.max(data.limit ?? 0, 1, ...data.rows.flatMap(({ cells }) => cells.flatMap(({ dots }) => largest(dots))));
  const labels = heads.map(({ label }) => label);
  const paint = paints(root);
  /**
   * Draw a strip of dots once it is on the page, and whenever its width changes.
   * @param {HTMLCanvasElement} canvas
   * @param {number[]} dots
   */
  const drawStrip = (canvas, dots) =>
    new ResizeObserver(() => drawDots(canvas, dots, most, data.limit, paint)).observe(canvas);
  for (const row of sorted(data.rows, labels, root.order)) drawRow(body.insertRow(), row, component, drawStrip);
  const scroll = el("div", "scroll");
  scroll.append(table);
  for (const [selector, role] of ROLES) for (const part of all(scroll, selector)) part.setAttribute("role", role);
  const about = root.querySelector(".about") ?? el("p", "note about");
  about.setAttribute("role", "status");
  root.replaceChildren(...(data.said ? [el("p", "said", data.said)] : []), scroll, about, el("p", "note", data.note));
  const by = heads.find(({ label }) => label === root.order?.head);
  about.textContent = by?.help ? `${by.label}: ${by.help}` : "";
}

/**
 * @param {HTMLTableRowElement} line
 * @param {RowData} row
 * @param {Scores} component
 * @param {(canvas: HTMLCanvasElement, dots: number[]) => void} drawStrip
 */
function drawRow(line, row, { data, setStateValue }, drawStrip) {
  const { column, kind, origin, settings } = row;
  const name = line.appendChild(el("th"));
  name.scope = "row";
  const what = [
    el("strong", "", row.title),
    " ",
    ...(origin ? [el("span", "origin", origin)] : []),
    el("span", "settings", settings),
  ];
  if (column === null) {
    line.className = "trivial";
    name.append(...what);
  } else {
    const chosen = column === data.chosen.column && kind === data.chosen.kind;
    line.className = `${kind}${chosen ? " chosen" : ""}`;
    const choose = name.appendChild(el("button", "choose"));
    choose.type = "button";
    choose.dataset.act = `choose ${column} ${kind}`;
    if (!kind) choose.append(el("span", "number", String(column + 1)), " ");
    choose.append(...what);
    choose.setAttribute("aria-pressed", String(chosen));
    choose.title = data.action;
    line.addEventListener("click", () => setStateValue("chosen", { column, kind, at: performance.now() }));
  }
  if (!row.cells.length) {
    const cell = line.insertCell();
    cell.colSpan = data.heads.length;
    cell.className = "message";
    cell.textContent = row.message;
  }
  for (const { text, value, why, best, dots } of row.cells) {
    const cell = line.insertCell();
    cell.title = [why, best ? "no other row is better" : ""].filter(Boolean).join("; ");
    cell.classList.toggle("best", best);
    cell.classList.toggle("undefined", value === null);
    if (dots.length) {
      const canvas = cell.appendChild(el("canvas"));
      canvas.setAttribute("aria-hidden", "true");
      drawStrip(canvas, dots);
    }
    cell.append(el("span", "", text));
  }
}

/**
 * Draw a dot for each chunk, in the error colour beyond the limit.
 * @param {HTMLCanvasElement} canvas
 * @param {number[]} dots
 * @param {number} most
 * @param {number | null} limit
 * @param {(name: string) => string} paint
 */
function drawDots(canvas, dots, most, limit, paint) {
  const pen = fit(canvas);
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  /** @param {number} size */
  const x = (size) => 3 + (size / most) * (width - 6);
  pen.fillStyle = paint("rule");
  pen.fillRect(0, height - 1, width, 1);
  pen.globalAlpha = Math.max(0.15, Math.min(0.75, 20 / dots.length));
  dots.slice(0, MOST_DOTS).forEach((size, number) => {
    pen.fillStyle = paint(limit !== null && size > limit ? "error" : "ink");
    pen.beginPath();
    // In three rows, so that equal sizes do not hide each other.
    pen.arc(x(size), 3.5 + (number % 3) * 4, 2.5, 0, 2 * Math.PI);
    pen.fill();
  });
  pen.globalAlpha = 1;
  if (limit === null) return;
  pen.fillStyle = paint("accent");
  pen.fillRect(x(limit) - 0.75, 0, 1.5, height);
}

/** @param {number[]} numbers */
const largest = (numbers) => (numbers.length ? [numbers.reduce((a, b) => Math.max(a, b))] : []);

/**
 * Return the next order of a clicked header: ascending, then descending, then none.
 * @param {Order | undefined} order
 * @param {string} head
 * @returns {Order | undefined}
 */
export function nextOrder(order, head) {
  if (order?.head !== head) return { head, down: false };
  return order.down ? undefined : { head, down: true };
}

/**
 * Return the rows sorted, or unchanged without an order or its head; rows without a value come last.
 * @param {RowData[]} rows
 * @param {string[]} labels of the heads, that of the names first
 * @param {Order | undefined} order
 */
export function sorted(rows, labels, order) {
  const place = order ? labels.indexOf(order.head) : -1;
  if (!order || place < 0) return rows;
  const { down } = order;
  /** @param {RowData} row */
  const value = (row) => {
    if (place > 0) return row.cells[place - 1]?.value ?? null;
    return row.column === null ? null : rows.indexOf(row);
  };
  return [...rows].sort((first, second) => {
    const [a, b] = [value(first), value(second)];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return down ? b - a : a - b;
  });
}
