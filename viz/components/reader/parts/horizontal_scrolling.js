// Horizontal scrolling to columns that do not fit.

import { all, el } from "../../shared/dom.js";

const EDGE = 4; // pixels that are not worth scrolling

export class Sideways {
  /** @type {number | null} */ shown = null; // the selected column that was scrolled into sight

  /**
   * @param {HTMLElement} scroller of the columns
   * @param {HTMLElement} heads of the columns, in it
   */
  constructor(scroller, heads) {
    this.scroller = scroller;
    this.heads = heads;
    const beyond = el("div", "beyond");
    heads.after(beyond);
    this.before = beyond.appendChild(el("button", "left"));
    this.after = beyond.appendChild(el("button", "right"));
    this.before.addEventListener("click", () => this.turn(-1));
    this.after.addEventListener("click", () => this.turn(1));
    scroller.addEventListener("scroll", () => this.mark(), { passive: true });
  }

  /** @param {1 | -1} direction */
  turn(direction) {
    this.scroller.scrollLeft += direction * this.scroller.clientWidth * 0.8;
  }

  // Show the number of hidden columns at the edges.
  mark() {
    const { scrollLeft, scrollWidth, clientWidth } = this.scroller;
    const room = this.scroller.getBoundingClientRect();
    const boxes = all(this.heads, ".head:not(.away)").map((head) => head.getBoundingClientRect());
    const hidden = {
      before: boxes.filter((box) => box.left < room.left - EDGE).length,
      after: boxes.filter((box) => box.right > room.right + EDGE).length,
    };
    this.before.textContent = `◂ ${hidden.before} more`;
    this.after.textContent = `${hidden.after} more ▸`;
    this.before.hidden = !hidden.before;
    this.after.hidden = !hidden.after;
    this.scroller.classList.toggle("before", scrollLeft > EDGE);
    this.scroller.classList.toggle("after", scrollLeft + clientWidth < scrollWidth - EDGE);
  }

  /**
   * Scroll to the selected column once, so that the user can scroll elsewhere.
   * @param {number} selected
   * @param {Element | undefined} head of that column
   */
  show(selected, head) {
    if (head && selected !== this.shown) {
      this.shown = selected;
      const [room, box] = [this.scroller.getBoundingClientRect(), head.getBoundingClientRect()];
      // If only one column fits, align it to the left.
      const away = room.width < 2 * box.width ? box.left - room.left : box.right - room.right;
      if (box.right > room.right || box.left < room.left) this.scroller.scrollLeft += away;
    }
    this.mark();
  }
}
