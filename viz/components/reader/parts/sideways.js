// Columns that there is no room for: they are scrolled to sideways.

const EDGE = 4; // pixels that are not worth scrolling

export class Sideways {
  /** @type {number | null} */ shown = null; // the selected column that was scrolled into sight

  /** @param {HTMLElement} scroller of the columns */
  constructor(scroller) {
    this.scroller = scroller;
    scroller.addEventListener("scroll", () => this.mark(), { passive: true });
  }

  // Show at the edges that there are more.
  mark() {
    const { scrollLeft, scrollWidth, clientWidth } = this.scroller;
    this.scroller.classList.toggle("before", scrollLeft > EDGE);
    this.scroller.classList.toggle("after", scrollLeft + clientWidth < scrollWidth - EDGE);
  }

  /**
   * Scroll to the column that is selected, once: then the user may scroll elsewhere.
   * @param {number} selected
   * @param {Element | undefined} head of that column
   */
  show(selected, head) {
    if (head && selected !== this.shown) {
      this.shown = selected;
      const [room, box] = [this.scroller.getBoundingClientRect(), head.getBoundingClientRect()];
      // Where there is room for one column alone, it begins at the left.
      const away = room.width < 2 * box.width ? box.left - room.left : box.right - room.right;
      if (box.right > room.right || box.left < room.left) this.scroller.scrollLeft += away;
    }
    this.mark();
  }
}
