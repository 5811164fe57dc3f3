"""The diagnoses of a file of traces, as text and as JSON."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from chunkers import Document
from chunkers.found_again import Place, Placement
from chunkers.support import pluralize, short_repr
from evaluation.questions import shorten_text
from evaluation.traces.answer_loss_stages import MEANING_BY_STAGE, Diagnosis, Stage

MOST_LISTED_MISSING_TEXTS = 8
"""Maximum number of missing texts that the text names; JSON has all."""


@dataclass(frozen=True)
class TraceReport:
    """The diagnoses of all questions of a file of traces, with the documents that their places lie in."""

    documents: Sequence[Document]
    diagnoses: Sequence[Diagnosis]
    remark: str = ""
    problems: Sequence[str] = ()

    @cached_property
    def failed_count_by_stage(self) -> dict[Stage, int]:
        """Number of failed questions by the stage that lost their answers, in the order of the stages."""
        question_count_by_stage = Counter(diagnosis.stage for diagnosis in self.diagnoses)
        return {stage: question_count_by_stage[stage] for stage in MEANING_BY_STAGE if question_count_by_stage[stage]}

    def count_questions_with_outcome(self, wanted_failure_status: bool | None) -> int:
        """Return the number of questions that failed (True), did not fail (False), or could not be diagnosed (None)."""
        return sum(diagnosis.failed is wanted_failure_status for diagnosis in self.diagnoses)

    @cached_property
    def retrieved_text_count_by_status(self) -> dict[str, int]:
        """Number of retrieved texts that are located, that may stand in several places, and that are missing."""
        text_count_by_status = Counter(
            describe_placement_status(placement) for diagnosis in self.diagnoses for placement in diagnosis.placements
        )
        return {name: text_count_by_status[name] for name in ("located", "several places", "missing")}

    def missing_text_sentences(self) -> Iterator[str]:
        """Yield a sentence on each retrieved text that is missing."""
        for diagnosis in self.diagnoses:
            for retrieved_text, placement in zip(diagnosis.question.retrieved, diagnosis.placements, strict=True):
                if not placement.places:
                    shortened_text_or_id = short_repr(
                        retrieved_text.text if retrieved_text.text is not None else retrieved_text.id
                    )
                    yield (
                        f"{diagnosis.question.place}, rank {retrieved_text.rank:,}: {shortened_text_or_id}: "
                        f"{placement.remark}"
                    )

    def document_place_as_json(self, place: Place) -> dict[str, Any]:
        """Return a place as JSON-compatible values."""
        return {"document": self.documents[place.document].name, "start": place.span.start, "end": place.span.end}


def describe_placement_status(retrieved_text_placement: Placement) -> str:
    """Return whether a text is located, may stand in several places, or is missing."""
    return (
        "located"
        if retrieved_text_placement.only_place is not None
        else "several places"
        if retrieved_text_placement.places
        else "missing"
    )


def report_as_text(report: TraceReport) -> str:
    """Format a report: a table of the failed questions with the evidence below each, and the counts by stage."""
    failed_question_diagnoses = [diagnosis for diagnosis in report.diagnoses if diagnosis.failed]
    failed_question_rows = [
        (diagnosis.question.place, diagnosis.stage or "", _shortened_printable_line(diagnosis.question.question, 60))
        for diagnosis in failed_question_diagnoses
    ]
    place_and_stage_widths = [max((len(row[column]) for row in failed_question_rows), default=0) for column in (0, 1)]
    report_lines = []
    for diagnosis, (question_place, stage, question) in zip(failed_question_diagnoses, failed_question_rows, strict=True):
        report_lines.append(
            f"{question_place:<{place_and_stage_widths[0]}}  {stage:<{place_and_stage_widths[1]}}  {question}"
        )
        line_indent = " " * (sum(place_and_stage_widths) + 4)
        report_lines += [
            f"{line_indent}{_shortened_printable_line(sentence, 400)}"
            for sentence in (diagnosis.explanation, diagnosis.rule)
            if sentence
        ]
    report_lines += [""] * bool(report_lines)
    outcome_count_phrases = [
        f"{report.count_questions_with_outcome(True):,} failed",
        f"{report.count_questions_with_outcome(False):,} did not",
        f"{report.count_questions_with_outcome(None):,} cannot be told",
    ]
    report_lines.append(f"{pluralize(len(report.diagnoses), 'question')}: {', '.join(outcome_count_phrases)}")
    longest_stage_length = max(map(len, MEANING_BY_STAGE))
    report_lines += [
        f"  {stage:<{longest_stage_length}} {count:>5,}  {MEANING_BY_STAGE[stage]}"
        for stage, count in report.failed_count_by_stage.items()
    ]
    text_count_by_status = report.retrieved_text_count_by_status
    report_lines.append(
        f"{pluralize(sum(text_count_by_status.values()), 'retrieved text')}: {text_count_by_status['located']:,} "
        f"located, {text_count_by_status['several places']:,} in "
        f"several places, {text_count_by_status['missing']:,} missing"
    )
    sentences_on_missing_texts = [*report.missing_text_sentences()]
    report_lines += [
        f"  {_shortened_printable_line(remark, 200)}" for remark in sentences_on_missing_texts[:MOST_LISTED_MISSING_TEXTS]
    ]
    report_lines += [f"  and {len(sentences_on_missing_texts) - MOST_LISTED_MISSING_TEXTS:,} more"] * (
        len(sentences_on_missing_texts) > MOST_LISTED_MISSING_TEXTS
    )
    return "\n".join(report_lines) + "\n"


def _shortened_printable_line(text: str, max_character_count: int) -> str:
    printable_text = "".join(letter if letter.isprintable() else " " for letter in text)
    return shorten_text(" ".join(printable_text.split()), max_character_count)


def convert_report_to_json_dict(report: TraceReport) -> dict[str, Any]:
    """Return the whole report as JSON-compatible values."""
    return {
        "seamark_trace": 1,
        "questions": [_diagnosis_as_json(report, diagnosis) for diagnosis in report.diagnoses],
        "stages": {**report.failed_count_by_stage},
        "failed": report.count_questions_with_outcome(True),
        "not_failed": report.count_questions_with_outcome(False),
        "cannot_be_told": report.count_questions_with_outcome(None),
        "texts": report.retrieved_text_count_by_status,
        "remark": report.remark,
        "problems": [*report.problems],
    }


def _diagnosis_as_json(report: TraceReport, diagnosis: Diagnosis) -> dict[str, Any]:
    lost_passage_outcome = diagnosis.outcome
    outcome_place = lost_passage_outcome.place if lost_passage_outcome is not None else None
    diagnosis_row: dict[str, Any] = {
        "place": diagnosis.question.place,
        "format": diagnosis.question.format,
        "question": diagnosis.question.question,
        "failed": diagnosis.failed,
        "rule": diagnosis.rule,
        "stage": diagnosis.stage,
        "said": diagnosis.explanation,
        "passage": None if outcome_place is None else report.document_place_as_json(outcome_place),
    }
    if lost_passage_outcome is not None and lost_passage_outcome.judgement is not None:
        diagnosis_row["fate"] = lost_passage_outcome.judgement.fate
        diagnosis_row["chunks"] = [
            {"chunk": chunk.number + 1, "rank": chunk.rank or None, "retrieved": bool(chunk.given)}
            for chunk in lost_passage_outcome.judgement.chunks
        ]
        diagnosis_row["seams"] = [
            {"at": seam.place, "before": seam.before + 1, "after": seam.after + 1, "reason": seam.reason}
            for seam in lost_passage_outcome.seams
        ]
    diagnosis_row["retrieved"] = [
        {
            "rank": retrieved.rank,
            "id": retrieved.id,
            "score": retrieved.score,
            "given": retrieved.given,
            "status": describe_placement_status(placement),
            "said": placement.remark,
            "places": [report.document_place_as_json(spot) for spot in placement.places],
        }
        for retrieved, placement in zip(diagnosis.question.retrieved, diagnosis.placements, strict=True)
    ]
    return diagnosis_row
