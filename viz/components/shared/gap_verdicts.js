// Decoding of verdicts on gaps. A payload describes the verdicts that occur in it, and has a digit per gap: the index of its
// verdict.

/**
 * Return the verdict of every gap.
 * @template {import("../reader/payload.data.d.ts").VerdictData} Verdict
 * @param {{ verdicts: Verdict[], verdictOf: string }} data
 */
export const verdictOfEach = ({ verdicts, verdictOf }) => Array.from(verdictOf, (digit) => verdicts[Number(digit)]);
