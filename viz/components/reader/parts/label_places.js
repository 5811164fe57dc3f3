// The placement of threshold labels next to the plot.

/**
 * Return heights for labels, as near to their lines as possible without overlapping or leaving the plot.
 * @param {number[]} wanted the height of each line, in pixels from above
 * @param {number} tall each label
 * @param {number} room of the plot
 * @returns {number[]} the middle of each label, in the order of the lines
 */
export function pushApart(wanted, tall, room) {
  const order = wanted.map((_, index) => index).sort((a, b) => wanted[a] - wanted[b]);
  // After subtracting the heights of the labels above, each label only has to be below the previous one. The least-squares
  // solution is then the mean of each group of colliding labels.
  /** @type {{ sum: number, count: number }[]} */
  const pools = [];
  order.forEach((index, place) => {
    let pool = { sum: wanted[index] - place * tall, count: 1 };
    for (let last = pools.at(-1); last && last.sum / last.count > pool.sum / pool.count; last = pools.at(-1)) {
      pools.pop();
      pool = { sum: pool.sum + last.sum, count: pool.count + last.count };
    }
    pools.push(pool);
  });
  const means = pools.flatMap(({ sum, count }) => Array.from({ length: count }, () => sum / count));
  const lowest = Math.max(tall / 2, room - tall / 2 - (order.length - 1) * tall);
  /** @type {number[]} */
  const places = [];
  order.forEach((index, place) => {
    places[index] = Math.min(lowest, Math.max(tall / 2, means[place])) + place * tall;
  });
  return places;
}
