"""Runs of answers under their links: those that the server remembers, and those that are kept on disk."""

from __future__ import annotations

from chunkers import Embedder, InputError
from viz.components.notice import notice
from viz.jobs.answering.job import Answering, Gathering
from viz.jobs.answering.kept import KIND, KeptAnswers
from viz.jobs.background import MOST_KEPT, registry
from viz.jobs.keeping.keeper import Keeper
from viz.jobs.resources import run_store
from viz.state.keys import session


def find_run(token: str, gathering: Gathering | None, embedder: Embedder | None) -> Answering | None:
    """Return the link's run, or None; draw what is needed to see one that is kept on disk, or why there is none.

    Parameters
    ----------
    token
        That of the link; empty where it has none.
    gathering
        What the page shows now, which a run on disk is shown with if it is its own.
    """
    run = registry().find(token, Answering, session.runs)
    if run is not None or not token:
        return run
    try:
        kept = KeptAnswers.find(Keeper(run_store(), token, KIND))
        if kept is None:
            remembered = f"the server keeps the last {MOST_KEPT} runs of a session, and those on disk"
            notice(f"The link's run is no longer remembered: {remembered}.", key="answers_forgotten")
            return None
        return _reopened(kept, gathering, embedder)
    except InputError as error:
        notice(str(error), "error", key="answers_unreadable")
        return None


def _reopened(kept: KeptAnswers, gathering: Gathering | None, embedder: Embedder | None) -> Answering | None:
    """Show the kept run's results from now on, in all sessions; None, with what is missing, if they are not the page's."""
    missing = kept.missing(None) if gathering is None else kept.missing(gathering.plan, gathering.chunkings)
    if missing:
        notice(
            f"This run has {kept.done:,} of {kept.total:,} answers. Their measures are kept on disk, texts are not. "
            f"To see them, give again what it was begun with. Other than now: {', '.join(missing)}.",
            key="answers_kept",
        )
        return None
    if gathering is None or gathering.sizes is None or embedder is None:
        return None
    kept.keeper.check_embedder(embedder)
    plan, found = gathering.plan, gathering.found.copy()
    document = gathering.chunkings[0].document
    results = kept.found(found, plan.items)
    run = Answering(plan, document, found, kept.models, None, None, embedder, True, kept=kept, results=results)
    registry().keep(run, kept.keeper.token, session.runs, begun=False)
    return run
