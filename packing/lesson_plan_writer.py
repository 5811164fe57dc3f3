"""The lesson plan of the bundled lecture, ``docs/lecture.md``; ``python -m packing.lesson_plan_writer`` writes it."""

from pathlib import Path

from viz.state import Scene, bundled_decks

LESSON_PLAN_PATH = Path(__file__).parents[1] / "docs" / "lecture.md"
DECK_NAME = "ten-minutes"

_PLAN_INTRODUCTION = """# A lecture of ten minutes

Open `/?deck={deck}` and press Page Down; `b` blanks the screen. The class answers before you go on. The Guide has more
*Lectures*. `python -m packing.lesson_plan_writer` wrote this page from the scenes.
"""


def lesson_plan_markdown() -> str:
    """Return the lesson plan as Markdown."""
    scenes = bundled_decks()[DECK_NAME].scenes
    return "\n".join(
        [
            _PLAN_INTRODUCTION.format(deck=DECK_NAME),
            *(_scene_section(number, scene) for number, scene in enumerate(scenes, start=1)),
        ]
    )


def _scene_section(number: int, scene: Scene) -> str:
    part_lines = [f"- **{part.capitalize()}**: {words}" for part, words in scene.words_by_shown_part.items()]
    return "\n".join([f"## {number}. {scene.title} ({scene.minutes} min)", "", *part_lines, ""])


if __name__ == "__main__":
    LESSON_PLAN_PATH.write_text(lesson_plan_markdown(), encoding="utf-8")
