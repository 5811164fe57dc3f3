"""Sweeps that are kept on disk: found again after a restart of the server, and taken up where they ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from chunkers import Embedder, InputError
from chunkers.language_models.asking import Asking
from evaluation.segmentation.marked_texts import MarkedText
from evaluation.segmentation.sweep import Setting
from viz.components.job_progress import show_resume
from viz.components.notice import notice
from viz.jobs.background import registry
from viz.jobs.keeping.keeper import Keeper
from viz.jobs.kept_sweep import KIND, KeptSweep
from viz.jobs.resources import run_store
from viz.jobs.sweep import Sweep, estimate_of_sweep
from viz.shell.consent import first_estimate, show_consent
from viz.shell.page import Page
from viz.shell.progress import SHORT_ANSWER
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
    """Return a sweep that has not been started; it is kept on disk if the session keeps its embeddings there."""
    held = frozenset(one.name for one in documents.held)
    kept = None
    if session.on_disk:
        keeper = Keeper(run_store(), token, KIND)
        plan = documents.with_splitters, held, settings, embedder.name, tokenizer, identity_of(asking)
        kept = KeptSweep.of(keeper, *plan)
    names = [one.name for one in documents.all]
    return Sweep(names, documents.split, settings, embedder, tokenizer, session.on_disk, held, kept=kept, asking=asking)


def find_sweep(token: str) -> tuple[Sweep | None, str]:
    """Return the link's sweep, which the server remembers or the disk keeps; or None, and what is wrong with the disk's."""
    found = registry().find(token, Sweep, session.runs)
    if found is not None or not token:
        return found, ""
    try:
        found = Sweep.from_disk(Keeper(run_store(), token, KIND))
    except InputError as error:
        return None, str(error)
    if found is not None:
        registry().keep(found, token, session.runs, begun=False)
    return found, ""


def show_way_on(here: Page, sweep: Sweep) -> None:
    """Draw the progress of an interrupted sweep, and the button that resumes it or the documents it needs."""
    kept = sweep.kept
    if kept is None or not sweep.can_go_on:
        return
    if not sweep.cancelled and not sweep.error:
        done = f"{len(sweep.rows):,} of its {sweep.total:,} runs"
        notice(f"This sweep was interrupted; {done} had been kept on disk. “Resume” computes the others.", key="tune_kept")
    found = kept.given_again(list(own_documents().values()))
    documents = [one for one in found if one is not None]
    asking = chosen_model() if kept.plan.language_model else None
    said = _what_is_missing(here, kept, found, asking)

    def again() -> Sweep:
        assert here.embedder is not None
        return sweep.resumed(documents, here.embedder, asking)

    def first(resume: Callable[[], None]) -> None:
        if asking is None:
            resume()
            return
        split = partial(map, lambda one, plan: one.split(plan.splitter), documents, kept.plan.documents)
        left = [one for one in sweep.settings if not one.trivial]
        first_estimate(sweep, asking, partial(estimate_of_sweep, split, left, sweep.tokenizer), resume)

    show_resume(sweep, again, kept.keeper.token, here.choices.extra, said, "tune", first)
    if asking is not None and not said:
        show_consent(sweep, asking, "The rest of this sweep sends at most its documents", SHORT_ANSWER, "resumed")


def _what_is_missing(here: Page, kept: KeptSweep, found: Sequence[MarkedText | None], asking: Asking | None) -> str:
    """Return the reason why a kept sweep cannot resume with the documents that were ``found``; empty if it can."""
    missing = [one for one, there in zip(kept.plan.documents, found, strict=True) if there is None]
    if any(one.sample for one in missing):
        return "Bundled documents of this sweep have changed since it was begun: it must be run again."
    if missing:
        return (
            f"{counted(len(missing), 'document')} must be given again, under “Your own documents”, with the same name, text "
            "and boundaries: only hashes of them were kept."
        )
    if here.embedder is None:
        return here.embedder_complaint
    if here.embedder.name != kept.plan.embedder:
        return f"The sweep was begun with the embedder {kept.plan.embedder}; to go on, choose it on the left."
    if identity_of(asking) != kept.plan.language_model:
        name = kept.plan.language_model.rpartition(" ")[0]
        return f"The sweep was begun with the language model {name}; to go on, name it beside its chunker’s settings."
    return ""
