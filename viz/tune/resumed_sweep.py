"""Sweeps stored on disk: reopened after a restart of the server, and resumed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from chunkers import Embedder, InputError
from chunkers.language_models.asking import Asking
from evaluation.segmentation.marked_texts import MarkedText
from evaluation.segmentation.sweep import Setting
from viz.jobs.background import registry
from viz.jobs.kept_sweep import KeptSweep
from viz.jobs.sweep import Sweep, estimate_of_sweep
from viz.shell.consent import Requests
from viz.shell.kept_runs import Lost, find_kept, new_keeper, show_kept, show_way_on
from viz.shell.page import Page
from viz.state.keys import session
from viz.state.language_model import chosen_model, identity_of
from viz.theme.numbers import counted
from viz.tune.documents import Chosen
from viz.tune.own_documents import own_documents


def new_sweep(
    token: str,
    documents: Chosen,
    settings: Sequence[Setting],
    embedder: Embedder,
    tokenizer: str,
    asking: Asking | None = None,
) -> Sweep:
    """Return a sweep that is not started yet, with storage on disk if the session keeps embeddings there."""
    kept, keeper = None, new_keeper(token, KeptSweep)
    if keeper is not None:
        plan = documents.with_splitters, documents.held_names, settings, embedder.name, tokenizer, identity_of(asking)
        kept = KeptSweep.of(keeper, *plan)
    names = [one.name for one in documents.all]
    held = documents.held_names
    return Sweep(names, documents.split, settings, embedder, tokenizer, session.on_disk, held, kept=kept, asking=asking)


def find_sweep(token: str) -> Sweep | Lost | None:
    """Return the link's sweep from memory or disk, or the reason why it cannot be shown; None if the link has no sweep."""
    found = registry().find(token, Sweep, session.runs) or find_kept(token, KeptSweep)
    if not isinstance(found, KeptSweep):
        return found
    try:
        sweep = Sweep.from_disk(found)
    except InputError as error:
        return Lost(str(error), "error")
    show_kept(found, sweep)
    return sweep


def offer_to_resume(here: Page, sweep: Sweep) -> None:
    """Draw the button that resumes an interrupted sweep, or a note on what is missing, if the sweep is stored on disk."""
    kept = sweep.kept
    if kept is None or not sweep.can_go_on:
        return
    found = kept.given_again(list(own_documents().values()))
    documents = [one for one in found if one is not None]
    asking, requests = None, None
    if kept.plan.language_model:
        asking = chosen_model()
        split = partial(map, lambda one, plan: one.split(plan.splitter), documents, kept.plan.documents)
        settings = [one for one in sweep.settings if not one.trivial]
        count = partial(estimate_of_sweep, split, settings, sweep.tokenizer)
        requests = Requests(sweep, asking, count, "The rest of this sweep sends at most its documents", "resumed")

    def again() -> Sweep:
        assert here.embedder is not None
        return sweep.resumed(documents, here.embedder, asking)

    show_way_on(here, sweep, again, requests, _missing_documents(kept, found), "tune")


def _missing_documents(kept: KeptSweep, found: Sequence[MarkedText | None]) -> str:
    """Return a sentence about the documents missing from ``found``; empty if none is missing."""
    missing = [one for one, there in zip(kept.plan.documents, found, strict=True) if there is None]
    if any(one.sample for one in missing):
        return "Bundled documents of this sweep have changed since it was begun: it must be run again."
    if missing:
        return (
            f"{counted(len(missing), 'document')} must be given again, under “Your own documents”, with the same name, text "
            "and boundaries: only hashes of them were kept."
        )
    return ""
