"""Search for the parameter value that would reverse the verdict on a gap, checked by running the chunker with it."""

from collections.abc import Callable, Mapping

from chunkers.contract import Chunker, FieldSpec, Tools
from chunkers.results import Chunking, Gap
from chunkers.support import ParameterError

MOST_SENTENCES_FOR_RERUN = 5_000
"""Maximum number of sentences of a text in which a suggestion is proven by running the chunker; without proof it is not
made.
"""


def find_parameter_spec_by_name(chunker: Chunker, parameter_name: str) -> FieldSpec:
    """Return the declaration of a parameter, which may depend on the chunker's other values."""
    return next(spec for spec in chunker.fields(chunker.model_dump()) if spec.name == parameter_name)


def find_nearest_verdict_reversing_stop(
    slider_spec: FieldSpec, current_value: float, reverses_verdict_at: Callable[[float], bool]
) -> float | None:
    """Return the slider stop nearest to ``current_value`` that makes ``reverses_verdict_at`` true; None if there is none.

    Of two stops at the same distance, the higher is returned.
    """
    ranked_slider_stops = sorted((abs(stop - current_value), -stop) for stop in slider_spec.stops if stop != current_value)
    return next((-stop for _, stop in ranked_slider_stops if reverses_verdict_at(-stop)), None)


def next_slider_stop(slider_spec: FieldSpec, score: float, is_stop_sought_above_score: bool) -> float | None:
    """Return the stop nearest to ``score``, above it if ``is_stop_sought_above_score``, else below; None if there is none.

    A stop equal to ``score`` counts as above.
    """
    slider_stops_on_chosen_side = [
        stop for stop in slider_spec.stops if (stop >= score if is_stop_sought_above_score else stop < score)
    ]
    return (
        (min(slider_stops_on_chosen_side) if is_stop_sought_above_score else max(slider_stops_on_chosen_side))
        if slider_stops_on_chosen_side
        else None
    )


class VerdictReversals:
    """Search, by rerunning a chunker, for parameter values that reverse the verdict on a gap.

    In a text of more than `MOST_SENTENCES_FOR_RERUN` sentences the runs would take too long, so no value is found.
    """

    def __init__(self, chunker: Chunker, chunking: Chunking, gap: Gap, tools: Tools) -> None:
        self.chunker, self.chunking, self.gap, self._tools = chunker, chunking, gap, tools
        self._result_by_values: dict[tuple[tuple[str, float], ...], Chunking | None] = {}

    def rerun_and_find_gap(self, changed_values: Mapping[str, float]) -> tuple[Chunking, Gap] | None:
        """Run the chunker with other parameter values; return the result and its matching gap, or None if no gap matches.

        None also if the values break a rule of the chunker, or the text is too long for reruns.
        """
        sorted_name_value_pairs = tuple(sorted(changed_values.items()))
        if sorted_name_value_pairs not in self._result_by_values:
            self._result_by_values[sorted_name_value_pairs] = self._rechunk_with_changed_values(changed_values)
        chunking, gap_index_and_offset = self._result_by_values[sorted_name_value_pairs], (self.gap.index, self.gap.offset)
        if chunking is None:
            return None
        return next(((chunking, gap) for gap in chunking.gaps if (gap.index, gap.offset) == gap_index_and_offset), None)

    def _rechunk_with_changed_values(self, changed_values: Mapping[str, float]) -> Chunking | None:
        document = self.chunking.document
        if len(document.sentences) > MOST_SENTENCES_FOR_RERUN:
            return None
        try:
            changed_chunker = type(self.chunker)(**{**self.chunker.model_dump(), **changed_values})
        except ParameterError:
            return None
        return changed_chunker.chunk(document, self._tools)

    def reverses_verdict(self, changed_values: Mapping[str, float]) -> bool:
        """Return whether a run with these parameter values reverses the verdict on the gap."""
        chunking_and_gap_of_rerun = self.rerun_and_find_gap(changed_values)
        return (
            chunking_and_gap_of_rerun is not None and chunking_and_gap_of_rerun[1].verdict.is_cut != self.gap.verdict.is_cut
        )

    def nearest_reversing_slider_stop(
        self,
        parameter_name: str,
        expected_slider_stop: float | None,
        other_parameter_values: Mapping[str, float] | None = None,
    ) -> float | None:
        """Return the first slider stop, outwards from the present value, that reverses the verdict; None if none is found.

        The stop before it does not reverse the verdict.

        Parameters
        ----------
        parameter_name
            Name of the parameter to change.
        expected_slider_stop
            The stop at which the verdict is expected to change. Earlier decisions may change too, so the verdict may
            change before this stop or only after it; then the stop is found by bisection. None to search all stops.
        other_parameter_values
            Values of other parameters that do not reverse the verdict by themselves.
        """
        present_value, values_of_other_parameters = getattr(self.chunker, parameter_name), dict(other_parameter_values or {})
        parameter_slider_stops = find_parameter_spec_by_name(self.chunker, parameter_name).stops
        is_search_upwards = (
            expected_slider_stop > present_value if expected_slider_stop is not None else not self.gap.verdict.is_cut
        )
        slider_stops_outwards = (
            [stop for stop in parameter_slider_stops if stop > present_value]
            if is_search_upwards
            else [stop for stop in reversed(parameter_slider_stops) if stop < present_value]
        )
        if not slider_stops_outwards:
            return None

        def stop_reverses_verdict(slider_stop_index: int) -> bool:
            return slider_stop_index >= 0 and self.reverses_verdict(
                {**values_of_other_parameters, parameter_name: slider_stops_outwards[slider_stop_index]}
            )

        reversing_slider_stop_index = (
            slider_stops_outwards.index(expected_slider_stop)
            if expected_slider_stop in slider_stops_outwards
            else len(slider_stops_outwards) - 1
        )
        unreversed_slider_stop_index = reversing_slider_stop_index - 1
        if not stop_reverses_verdict(reversing_slider_stop_index):
            unreversed_slider_stop_index, reversing_slider_stop_index = (
                reversing_slider_stop_index,
                len(slider_stops_outwards) - 1,
            )
            if unreversed_slider_stop_index == reversing_slider_stop_index or not stop_reverses_verdict(
                reversing_slider_stop_index
            ):
                return None
        elif stop_reverses_verdict(unreversed_slider_stop_index):
            unreversed_slider_stop_index, reversing_slider_stop_index = -1, unreversed_slider_stop_index
        while reversing_slider_stop_index - unreversed_slider_stop_index > 1:
            middle_slider_stop_index = (unreversed_slider_stop_index + reversing_slider_stop_index) // 2
            unreversed_slider_stop_index, reversing_slider_stop_index = (
                (unreversed_slider_stop_index, middle_slider_stop_index)
                if stop_reverses_verdict(middle_slider_stop_index)
                else (middle_slider_stop_index, reversing_slider_stop_index)
            )
        return slider_stops_outwards[reversing_slider_stop_index]

    def nearest_reversing_number(
        self,
        parameter_name: str,
        value_keeping_verdict: int,
        value_reversing_verdict: int,
        other_parameter_values: Mapping[str, float] | None = None,
    ) -> int | None:
        """Return a whole number that reverses the verdict; None if ``value_reversing_verdict`` does not.

        The number before it, on the way from ``value_keeping_verdict``, does not reverse the verdict. Nor must
        ``value_keeping_verdict`` itself.
        """
        other_values = dict(other_parameter_values or {})
        if value_keeping_verdict == value_reversing_verdict or not self.reverses_verdict(
            {**other_values, parameter_name: value_reversing_verdict}
        ):
            return None
        while abs(value_reversing_verdict - value_keeping_verdict) > 1:
            middle_value = (value_keeping_verdict + value_reversing_verdict) // 2
            if self.reverses_verdict({**other_values, parameter_name: middle_value}):
                value_reversing_verdict = middle_value
            else:
                value_keeping_verdict = middle_value
        return value_reversing_verdict
