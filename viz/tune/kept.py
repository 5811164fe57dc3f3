"""Sweeps that are kept on disk: found again after a restart of the server, and taken up where they ended."""

from __future__ import annotations

from collections.abc import Sequence

from chunkers import Embedder, InputError
from evaluation.segmentation.sweep import Setting
from viz.components.job_progress import show_resume
from viz.components.notice import notice
from viz.jobs.background import registry
from viz.jobs.keeping.keeper import Keeper
from viz.jobs.keeping.kept_sweep import KIND, KeptSweep
from viz.jobs.resources import run_store
from viz.jobs.sweep import Sweep
from viz.shell.page import Page
from viz.state.keys import session
from viz.theme.numbers import counted
from viz.tune.documents import Chosen
from viz.tune.own_documents import own_documents


def new_sweep(token: str, documents: Chosen, settings: Sequence[Setting], embedder: Embedder, tokenizer: str) -> Sweep:
    """Return a sweep that has not been started; it is kept on disk if the session keeps its embeddings there."""
    held = frozenset(one.name for one in documents.held)
    kept = None
    if session.on_disk:
        keeper = Keeper(run_store(), token, KIND)
        kept = KeptSweep.of(keeper, documents.with_splitters, held, settings, embedder.name, tokenizer)
    names = [one.name for one in documents.all]
    return Sweep(names, documents.split, settings, embedder, tokenizer, session.on_disk, held, kept=kept)


def find_sweep(token: str) -> tuple[Sweep | None, str]:
    """Return the link's sweep, which the server remembers or the disk keeps; or None, and what is wrong with the disk's."""
    found = registry().find(token, Sweep)
    if found is not None or not token:
        return found, ""
    try:
        found = Sweep.from_disk(Keeper(run_store(), token, KIND))
    except InputError as error:
        return None, str(error)
    if found is not None:
        registry().keep(found, token)
    return found, ""


def show_way_on(here: Page, sweep: Sweep) -> None:
    """Draw how far a kept sweep has come that is not running, and the button that resumes it or what is missing."""
    kept = sweep.kept
    if kept is None or not sweep.can_go_on:
        return
    if not sweep.cancelled and not sweep.error:
        done = f"{len(sweep.rows):,} of its {sweep.total:,} runs"
        notice(f"This sweep was interrupted; {done} had been kept on disk. “Resume” computes the others.", key="tune_kept")
    found = kept.given_again(list(own_documents().values()))
    documents = [one for one in found if one is not None]
    missing = [one for one, there in zip(kept.plan.documents, found, strict=True) if there is None]
    said = ""
    if any(one.sample for one in missing):
        said = "Bundled documents of this sweep have changed since it was begun: it must be run again."
    elif missing:
        said = (
            f"{counted(len(missing), 'document')} must be given again, under “Your own documents”, with the same name, text "
            "and boundaries: only hashes of them were kept."
        )
    elif here.embedder is None:
        said = here.embedder_complaint
    elif here.embedder.name != kept.plan.embedder:
        said = f"The sweep was begun with the embedder {kept.plan.embedder}; to go on, choose it on the left."

    def again() -> Sweep:
        assert here.embedder is not None
        return sweep.resumed(documents, here.embedder)

    show_resume(sweep, again, kept.keeper.token, here.choices.extra, said, "tune")
