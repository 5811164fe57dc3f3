// The sentence of a cut, while a line moves. The server's are written by chunkers/reason.py and segments.py; a test holds both
// equal.

// A number with so many decimals, as Python writes it: one halfway between two goes to the even one, and zero keeps its sign.
export function decimals(value, places) {
  const size = Math.abs(value);
  const exact = size.toFixed(places + 40);
  const [kept, rest] = [exact.slice(0, -40), exact.slice(-40)];
  const toEven = /^50*$/.test(rest) && /[02468]\.?$/.test(kept);
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  return sign + (toEven ? kept.replace(/\.$/, "") : size.toFixed(places));
}

// Two numbers with as many decimals, two to six, as it takes to tell them apart.
export function toldApart(score, threshold) {
  for (let places = 2; places < 6; places++) {
    const [left, right] = [decimals(score, places), decimals(threshold, places)];
    if (left !== right) return [left, right];
  }
  return [decimals(score, 6), decimals(threshold, 6)];
}

// Why a gap is a candidate: its score, and the level that it passes.
export function reasonOf({ label, cutAbove }, score, level) {
  const [left, right] = toldApart(score, level);
  return `${label} ${left} ${cutAbove ? ">" : "<"} ${right}`;
}

// What stands above a cut: why it is one, what sizes may still change, and whether it is `wrong`, no known boundary.
export function cutSentence(curve, score, level, wrong) {
  const sizes = curve.constrained ? " · sizes apply when you let go" : "";
  return `cut: ${reasonOf(curve, score, level)}${sizes}${wrong ? " · not a known boundary" : ""}`;
}
