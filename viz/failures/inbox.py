"""The inbox of the Failures page: suspicious cuts of a result, ranked, each with its rule and a link into the text."""

from __future__ import annotations

import streamlit as st

from chunkers import Chunking, Document, Embedder
from chunkers.recipes.registry import chunker_class
from evaluation.inbox.rules import HAIR, RULES, Finding, counts, inbox
from viz.components.findings.findings import MOST_FINDINGS, FindingData, sentences_of, show_findings
from viz.components.notice import notice
from viz.controls.link_widgets import seed
from viz.failures.results import MeasuredSetting
from viz.jobs.chunking import Task
from viz.jobs.texts import kept
from viz.state.choices import Choices


def show_inbox(choices: Choices, here: MeasuredSetting, embedder: Embedder | None) -> None:
    """Draw the suspicious cuts of a result."""
    made = here.made
    st.header("Suspicious cuts", anchor=False)
    if made.chunking is None or made.task is None:
        notice("Nothing to look through yet: the text is not cut.", key="no_inbox")
        return
    hair = _choose_hair(choices)
    findings = _found(made.task, made.chunking, embedder, hair)
    title = chunker_class(here.setting.chunker).title
    show_findings(
        f"{title}, {here.title} settings: {_counted(len(findings))} by rules that may be mistaken",
        [(RULES[name].title, count, RULES[name].why) for name, count in counts(findings).items()],
        [_line(made.chunking.document, one) for one in findings[:MOST_FINDINGS]],
        len(findings),
        less="less suspicious",
        nothing="Nothing looks suspicious to these rules.",
        key="inbox",
    )
    with st.expander("The rules"):
        st.markdown("\n".join(f"- **{rule.title}.** {rule.why}" for rule in RULES.values()))


def _counted(findings: int) -> str:
    return "nothing found" if not findings else f"{findings:,} finding{'' if findings == 1 else 's'}"


def _choose_hair(choices: Choices) -> float:
    """Draw the slider for the distance that counts as a hair; show an error if the one in the link is invalid."""
    try:
        value = float(choices.extra["hair"])
    except ValueError:
        value = -1.0
    if not 0 <= value <= 0.1:
        notice(
            f"The link's hair must be a number from 0 to 0.1; got {choices.extra['hair'][:60]!r}.", "error", key="bad_hair"
        )
        value = HAIR

    def changed() -> None:
        choices.extra["hair"] = f"{st.session_state['hair']:g}"

    seed("hair", value)
    hair: float = st.slider(
        "Score margin",
        0.0,
        0.1,
        value,
        step=0.005,
        format="%.3f",
        key="hair",
        on_change=changed,
        help="Cuts whose score is within this distance of the threshold are listed: a small change could remove them.",
    )
    return hair


@kept(32, lambda task, chunking, embedder, hair: (task.document, task, hair))
def _found(task: Task, chunking: Chunking, embedder: Embedder | None, hair: float) -> list[Finding]:
    """Return the findings of a result, cached by its task and ``hair``."""
    return inbox(chunking, embedder, hair)


def _line(document: Document, finding: Finding) -> FindingData:
    """Return a finding for the browser: its rule's title, the reason, the passage, and its range of sentences."""
    start, end = finding.span
    return {
        "title": RULES[finding.rule].title,
        "reason": finding.reason,
        "passage": shortened(document.text[start:end]),
        "range": sentences_of(document, start, end),
    }


def shortened(passage: str, most: int = 150) -> str:
    """Return a passage on one line, with its middle left out if it is longer than ``most`` characters."""
    line = " ".join(passage.split())
    return line if len(line) <= most else f"{line[: most * 2 // 3]} … {line[-most // 3 :]}"
