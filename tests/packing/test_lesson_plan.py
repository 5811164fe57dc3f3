"""The lesson plan in the documents is that of the scenes, and short enough to read before a lesson."""

from packing.lesson_plan_writer import LESSON_PLAN_PATH, lesson_plan_markdown


def test_the_plan_is_up_to_date_and_short():
    assert LESSON_PLAN_PATH.read_text(encoding="utf-8") == lesson_plan_markdown(), (
        "python -m packing.lesson_plan_writer writes it"
    )
    assert len(lesson_plan_markdown().split()) <= 700
