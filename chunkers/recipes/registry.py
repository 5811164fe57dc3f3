"""The tables of chunkers: plain ones, those that ask a language model, adapters, and chunks made elsewhere.

Other packages add chunkers: installed packages by an entry point of the group `GROUP`, other code by `register`.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from importlib import metadata

from chunkers.adapters.base import Adapter
from chunkers.adapters.chonkie import ChonkieSemantic
from chunkers.adapters.chroma import ChromaCluster
from chunkers.adapters.docling import DoclingHybrid
from chunkers.adapters.langchain import LangChainSemantic
from chunkers.adapters.llama_index import LlamaIndexDoubleMerging, LlamaIndexSemantic
from chunkers.adapters.semchunk import Semchunk
from chunkers.contract.base import Chunker
from chunkers.methods.breakpoint import Breakpoint
from chunkers.methods.change_point import ChangePoint
from chunkers.methods.code import Code
from chunkers.methods.dbscan import Dbscan
from chunkers.methods.double_pass import DoublePass
from chunkers.methods.fixed import FixedSentences
from chunkers.methods.kmeans import KMeans
from chunkers.methods.llm import Llm, Lumber
from chunkers.methods.max_min import MaxMin
from chunkers.methods.optimal import Optimal
from chunkers.methods.propositions import Propositions
from chunkers.methods.recursive import Recursive
from chunkers.methods.single_linkage import SingleLinkage
from chunkers.methods.structure import Structure
from chunkers.methods.target_size import TargetSize
from chunkers.methods.turns import Turns
from chunkers.methods.windows import FixedCharacters, FixedTokens, FixedWords
from chunkers.methods.your_chunks import YourChunks
from chunkers.methods.your_cuts import YourCuts
from chunkers.recipes.offered import check, guard, said_of
from chunkers.support.errors import InputError, ParameterError, shown

CHUNKERS: dict[str, type[Chunker]] = {
    chunker.name: chunker
    for chunker in (
        FixedSentences,
        FixedWords,
        FixedCharacters,
        FixedTokens,
        Recursive,
        Structure,
        Turns,
        Code,
        Breakpoint,
        TargetSize,
        DoublePass,
        MaxMin,
        Optimal,
        ChangePoint,
        SingleLinkage,
        Dbscan,
        KMeans,
    )
}

ASKING: dict[str, type[Chunker]] = {chunker.name: chunker for chunker in (Llm, Lumber, Propositions)}

ELSEWHERE: dict[str, type[Chunker]] = {YourChunks.name: YourChunks, YourCuts.name: YourCuts}
"""Whose chunks were made elsewhere: by a program whose file of chunks must be at hand, or by the user's own cuts."""

ADAPTERS: dict[str, type[Adapter]] = {
    adapter.name: adapter
    for adapter in (
        LangChainSemantic,
        LlamaIndexSemantic,
        LlamaIndexDoubleMerging,
        ChonkieSemantic,
        ChromaCluster,
        Semchunk,
        DoclingHybrid,
    )
}


GROUP = "seamark.chunkers"
"""The group of entry points by which installed packages offer their chunkers."""

_lock = threading.RLock()
_looked: list[bool] = []
_faults: dict[str, str] = {}
"""Sentences on offers that cannot be used, by the name under which they are offered."""


def register(kind: type[Chunker], package: str = "") -> type[Chunker]:
    """Register a chunker class, so that its name works in `chunkers.chunk`, on the page, in links and in recipes.

    The registration is limited to this process; an installed package offers its chunkers through entry points of the
    group ``seamark.chunkers``. May be used as a decorator.

    Parameters
    ----------
    kind
        A subclass of `Chunker`. A class of the same module and name replaces the earlier class.
    package
        Distribution that contains the class, for error messages and recipes; empty for none.

    Raises
    ------
    InputError
        If the class is not usable, or its name belongs to another chunker.
    """
    kind = check(kind)
    with _lock:
        taken = _listed(kind.name)
        if taken is not None and (taken.__module__, taken.__qualname__) != (kind.__module__, kind.__qualname__):
            raise InputError(
                f"{kind.name}: every chunker must have a name of its own; {taken.title} already has this name. Choose "
                "another name."
            )
        guard(kind, package)
        CHUNKERS[kind.name] = kind
    return kind


def discover() -> tuple[str, ...]:
    """Register the chunkers of installed packages, on the first call only; return a message for each unusable chunker.

    An error in a package affects only that package's chunkers.
    """
    with _lock:
        if not _looked:
            _looked.append(True)
            for offer in metadata.entry_points(group=GROUP):
                package = offer.dist.name if offer.dist is not None else ""
                try:
                    register(offer.load(), package)
                except (Exception, SystemExit) as error:
                    why = str(error).rstrip(".") if isinstance(error, InputError) else said_of(error)
                    whose = f"The package {package}" if package else "A package"
                    _faults[offer.name] = f"{whose} offers the chunker {shown(offer.name)}, which cannot be used: {why}."
        return tuple(_faults.values())


def chunker_class(name: str) -> type[Chunker]:
    """Return the chunker or adapter class called ``name``.

    Raises
    ------
    ParameterError
        If there is no such chunker, or the package that offers it cannot be loaded or offers an unusable class.
    """
    chunker_type = _listed(name)
    if chunker_type is None and isinstance(name, str):
        discover()
        chunker_type = _listed(name)
        if chunker_type is None and name in _faults:
            raise ParameterError(_faults[name])
    if chunker_type is None:
        raise ParameterError(f"chunker must be one of {', '.join([*CHUNKERS, *ASKING, *ADAPTERS])}; got {shown(name)}.")
    return chunker_type


def _listed(name: str) -> type[Chunker] | None:
    tables: tuple[Mapping[str, type[Chunker]], ...] = (CHUNKERS, ASKING, ADAPTERS, ELSEWHERE)
    return next((table[name] for table in tables if isinstance(name, str) and name in table), None)
