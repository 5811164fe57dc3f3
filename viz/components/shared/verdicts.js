// What became of gaps. A payload brings the meaning of the verdicts in it, and for every gap a digit, its verdict's place
// among them.

/**
 * The verdict of every gap.
 * @template {import("../verdicts.data.d.ts").VerdictData} Verdict
 * @param {{ verdicts: Verdict[], verdictOf: string }} data
 */
export const verdictOfEach = ({ verdicts, verdictOf }) => Array.from(verdictOf, (digit) => verdicts[Number(digit)]);
