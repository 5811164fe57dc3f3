"""Runs of the Answers page that are reopened by a link, from the server's memory or from disk."""

from __future__ import annotations

from chunkers import Embedder, InputError
from viz.jobs.answering.job import Answering, Gathering
from viz.jobs.answering.kept_answers import KeptAnswers
from viz.jobs.background import registry
from viz.shell.kept_runs import Lost, find_kept, say_missing, show_kept
from viz.state.keys import session


def find_run(token: str, gathering: Gathering | None, embedder: Embedder | None) -> Answering | None:
    """Return the run of answers that the link names, or None; draw the reason if the run cannot be shown.

    Parameters
    ----------
    token
        The token in the link; empty if the link has none.
    gathering
        The chunks retrieved for the current choices; a run on disk is shown with them if its plan is the same.
    """
    run = registry().find(token, Answering, session.runs)
    kept = find_kept(token, KeptAnswers) if run is None else None
    if kept is None:
        return run
    if not isinstance(kept, Lost):
        try:
            return _reopened(kept, gathering, embedder)
        except InputError as error:
            kept = Lost(str(error), "error")
    kept.show("answers")
    return None


def _reopened(kept: KeptAnswers, gathering: Gathering | None, embedder: Embedder | None) -> Answering | None:
    """Load a run from disk and register it for all sessions; return None and draw the mismatch if the plan differs."""
    missing = kept.missing(None) if gathering is None else kept.missing(gathering.plan, gathering.chunkings)
    if missing:
        other = ", ".join(missing)
        say_missing(kept, f"To see them, give again what it was begun with. Other than now: {other}.", "answers")
        return None
    if gathering is None or gathering.sizes is None or embedder is None:
        return None
    kept.keeper.check_embedder(embedder)
    plan, gathered = gathering.plan, gathering.found.copy()
    document = gathering.chunkings[0].document
    results = kept.found(gathered, plan.items)
    run = Answering(plan, document, gathered, kept.models, None, None, embedder, True, kept=kept, results=results)
    show_kept(kept, run)
    return run
