// The strips above the curve: the known boundaries, the chunks of every column, and where the columns agree.

import { el, fit } from "../shared/dom.js";

export class Strips {
  constructor(axis) {
    this.axis = axis;
    this.root = axis.root.appendChild(el("div"));
    this.disagreements = [];
  }

  strip(index) {
    if (!this.root.children[index]) {
      const strip = this.root.appendChild(el("div", "strip"));
      strip.append(el("span", "name"), el("canvas"));
      const canvas = strip.lastChild;
      canvas.setAttribute("role", "img");
      canvas.addEventListener("click", (event) => this.axis.reader.jump(this.axis.sentenceAt(event)));
      canvas.addEventListener("pointermove", (event) => this.axis.reader.mark([this.axis.sentenceAt(event)]));
    }
    return this.root.children[index];
  }

  draw() {
    const { data, columns, grounds } = this.axis.reader;
    this.palette = Array.from({ length: grounds }, (_, index) => [this.axis.colour(`ground-${index}`), this.axis.colour(`edge-${index}`)]);
    let used = 0;
    if (data.known) {
      const edges = [0, ...data.knownAt, this.axis.window.count];
      this.drawChunks(used++, "known boundaries", edges.slice(0, -1), edges.slice(1), (part) => part % grounds);
    }
    const cutting = new Map();
    let drawn = 0;
    for (const column of columns) {
      const { segments } = column;
      if (!segments) continue;
      drawn++;
      this.drawChunks(used++, `${column.index + 1} ${column.data.title}`, segments.from, segments.to, (part) => column.colour(segments.over[part][0]));
      for (const at of new Set(segments.from.slice(1))) cutting.set(at, (cutting.get(at) ?? 0) + 1);
    }
    this.disagreements = [...cutting].filter(([, votes]) => votes < drawn).map(([at]) => at).sort((a, b) => a - b);
    if (drawn > 1) this.drawAgreement(used++, cutting, drawn);
    while (this.root.children.length > used) this.root.lastChild.remove();
  }

  drawChunks(index, name, from, to, ground) {
    const strip = this.strip(index);
    strip.classList.remove("agreement");
    strip.firstChild.textContent = name;
    const canvas = strip.lastChild;
    const pen = fit(canvas);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    const [first, last] = this.axis.window.inside(from, to);
    const gap = width / Math.max(1, last - first) > 6 ? 1 : 0;
    for (const { part, left, right } of this.axis.window.seenOf(from, to, width)) {
      const [fill, edge] = this.palette[ground(part)];
      pen.fillStyle = fill;
      pen.fillRect(left, 0, Math.max(0.5, right - left - gap), height);
      if (gap) {
        pen.strokeStyle = edge;
        pen.strokeRect(left + 0.5, 0.5, Math.max(0.5, right - left - 1 - gap), height - 1);
      } else {
        pen.fillStyle = edge;
        pen.fillRect(left, 0, 1, height);
      }
    }
    const begins = from.slice(0, 40).map((at) => Math.floor(at) + 1).join(", ");
    canvas.setAttribute("aria-label", `${name}: ${from.length} parts, beginning at sentences ${begins}${from.length > 40 ? " and more" : ""}`);
  }

  drawAgreement(index, cutting, columns) {
    const strip = this.strip(index);
    strip.classList.add("agreement");
    const [name, canvas] = strip.children;
    const pen = fit(canvas);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    pen.fillStyle = this.axis.colour("ink");
    const most = new Map();
    for (const [at, votes] of cutting) {
      if (!this.axis.window.holds(at)) continue;
      const x = Math.round(this.axis.window.x(at, width));
      most.set(x, Math.max(most.get(x) ?? 0, votes));
    }
    for (const [x, votes] of most) pen.fillRect(x - 1, height - (votes / columns) * height, 2, (votes / columns) * height);
    pen.fillStyle = this.axis.colour("rule");
    pen.fillRect(0, height - 1, width, 1);
    canvas.setAttribute("aria-label", `${cutting.size} places where at least one column cuts; taller where more agree`);
    name.textContent = "columns that cut here ";
    if (!this.disagreements.length) return;
    const count = this.disagreements.length;
    const button = el("button", "step", count === 1 ? "the one disagreement" : `next of ${count} disagreements`);
    button.addEventListener("click", () => this.nextDisagreement());
    name.append("· ", button);
  }

  nextDisagreement() {
    const { reader } = this.axis;
    const next = this.disagreements.find((at) => at > (this.disagreementAt ?? -1)) ?? this.disagreements[0];
    this.disagreementAt = next;
    reader.jump(Math.min(this.axis.window.count - 1, Math.floor(next)));
    const who = reader.columns.filter((column) => column.segments?.from.slice(1).includes(next)).map((column) => column.index + 1);
    this.axis.say(`Before sentence ${Math.floor(next) + 1}: cut by column ${who.join(", ")} alone`);
  }
}
