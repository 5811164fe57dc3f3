"""The table of all chunkers, and that of the adapters, which need another library to be installed."""

from __future__ import annotations

from chunkers.adapters.base import Adapter
from chunkers.adapters.chonkie import ChonkieSemantic
from chunkers.adapters.chroma import ChromaCluster
from chunkers.adapters.docling import DoclingHybrid
from chunkers.adapters.langchain import LangChainSemantic
from chunkers.adapters.llama_index import LlamaIndexDoubleMerging, LlamaIndexSemantic
from chunkers.adapters.semchunk import Semchunk
from chunkers.base import Chunker
from chunkers.errors import ParameterError, shown
from chunkers.methods.breakpoint import Breakpoint
from chunkers.methods.change_point import ChangePoint
from chunkers.methods.dbscan import Dbscan
from chunkers.methods.double_pass import DoublePass
from chunkers.methods.fixed import FixedSentences
from chunkers.methods.kmeans import KMeans
from chunkers.methods.max_min import MaxMin
from chunkers.methods.optimal import Optimal
from chunkers.methods.recursive import Recursive
from chunkers.methods.single_linkage import SingleLinkage
from chunkers.methods.structure import Structure
from chunkers.methods.target_size import TargetSize
from chunkers.methods.windows import FixedCharacters, FixedTokens, FixedWords

CHUNKERS: dict[str, type[Chunker]] = {
    chunker.name: chunker
    for chunker in (
        FixedSentences,
        FixedWords,
        FixedCharacters,
        FixedTokens,
        Recursive,
        Structure,
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


def chunker_class(name: str) -> type[Chunker]:
    """Return the chunker or adapter called ``name``.

    Raises
    ------
    ParameterError
        If there is none of that name.
    """
    found = (CHUNKERS.get(name) or ADAPTERS.get(name)) if isinstance(name, str) else None
    if found is None:
        raise ParameterError(f"chunker must be one of {', '.join([*CHUNKERS, *ADAPTERS])}; got {shown(name)}.")
    return found
