// Where the labels of threshold lines stand beside the plot.

/**
 * Heights for labels that are as near to their lines as they can be without covering each other or leaving the plot.
 * @param {number[]} wanted the height of each line, in pixels from above
 * @param {number} tall each label
 * @param {number} room of the plot
 * @returns {number[]} the middle of each label, in the order of the lines
 */
export function pushApart(wanted, tall, room) {
  const order = wanted.map((_, index) => index).sort((a, b) => wanted[a] - wanted[b]);
  // Without the labels between it and the top, each may stand anywhere below the one before: the least squares then are the
  // means of those that run into each other.
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
