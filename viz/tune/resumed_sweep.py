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
    names = [document.name for document in documents.all]
    held = documents.held_names
    return Sweep(names, documents.split, settings, embedder, tokenizer, session.on_disk, held, kept=kept, asking=asking)


def find_sweep(token: str) -> Sweep | Lost | None:
    """Return the link's sweep from memory or disk, or the reason why it cannot be shown; None if the link has no sweep."""
    linked_sweep = registry().find(token, Sweep, session.runs) or find_kept(token, KeptSweep)
    if not isinstance(linked_sweep, KeptSweep):
        return linked_sweep
    try:
        sweep = Sweep.from_disk(linked_sweep)
    except InputError as error:
        return Lost(str(error), "error")
    show_kept(linked_sweep, sweep)
    return sweep


def offer_to_resume(here: Page, sweep: Sweep) -> None:
    """Draw the button that resumes an interrupted sweep, or a note on what is missing, if the sweep is stored on disk."""
    kept = sweep.kept
    if kept is None or not sweep.can_go_on:
        return
    given_docs = kept.given_again(list(own_documents().values()))
    documents = [document for document in given_docs if document is not None]
    asking, requests = None, None
    if kept.plan.language_model:
        asking = chosen_model()
        split = partial(map, lambda document, plan: document.split(plan.splitter), documents, kept.plan.documents)
        settings = [setting for setting in sweep.settings if not setting.trivial]
        count = partial(estimate_of_sweep, split, settings, sweep.tokenizer)
        requests = Requests(sweep, asking, count, "The rest of this sweep sends at most its documents", "resumed")

    def again() -> Sweep:
        assert here.embedder is not None
        return sweep.resumed(documents, here.embedder, asking)

    show_way_on(here, sweep, again, requests, _missing_documents(kept, given_docs), "tune")


def _missing_documents(kept: KeptSweep, texts: Sequence[MarkedText | None]) -> str:
    """Return a sentence that names the documents without a text; empty if every document has one."""
    missing = [plan for plan, own_text in zip(kept.plan.documents, texts, strict=True) if own_text is None]
    if any(plan.sample for plan in missing):
        return "Bundled documents of this sweep have changed since it was begun: it must be run again."
    if missing:
        return (
            f"{counted(len(missing), 'document')} must be given again, under “Your own documents”, with the same name, text "
            "and boundaries: only hashes of them were kept."
        )
    return ""
