"""The browser's data on verdicts: their meanings, and never their order in the enum."""

from random import Random

from chunkers import Gap, Reason, Verdict
from viz.breakpoints.gap_table import SHORT_VERDICT_NAMES
from viz.components.reader.payload import encode_verdicts, verdict_kind_payload


def some_gaps():
    verdicts = [*Verdict] * 3
    Random(1).shuffle(verdicts)
    return [Gap(index, None, None, verdict, Reason(remark="so")) for index, verdict in enumerate(verdicts)]


def understood(gaps, order):
    """Decode a payload as a script does: the verdict of every gap, looked up in the payload's own list."""
    verdicts, verdict_of = encode_verdicts(gaps, order)
    told = [verdict_kind_payload(verdict) for verdict in verdicts]
    return [told[int(digit)] for digit in verdict_of]


def test_no_order_of_the_enum_changes_what_is_understood():
    gaps = some_gaps()
    for seed in range(10):
        order = [*Verdict]
        Random(seed).shuffle(order)
        for told, gap in zip(understood(gaps, order), gaps, strict=True):
            assert told["name"] == str(gap.verdict)
            assert told["cut"] == gap.verdict.is_cut
            assert told["sized"] == (gap.verdict in (Verdict.REJECTED, Verdict.FORCED))
            assert told["overruled"] == (gap.verdict not in (Verdict.CUT, Verdict.KEPT))


def test_only_verdicts_that_occur_are_told():
    gaps = [gap for gap in some_gaps() if gap.verdict in (Verdict.KEPT, Verdict.MERGED)]
    verdicts, verdict_of = encode_verdicts(gaps)
    assert set(verdicts) == {Verdict.KEPT, Verdict.MERGED}
    assert set(verdict_of) == {"0", "1"}
    assert encode_verdicts([]) == ([], "")


def test_the_table_has_words_for_every_verdict():
    assert set(SHORT_VERDICT_NAMES) == set(Verdict)
