"""The chunkers; those of a file share their method."""

from chunkers.methods.breakpoint import (
    Breakpoint,
    SimilarityReading,
    convert_chunking_to_similarities,
    has_similarity_reading,
)
from chunkers.methods.change_point import ChangePoint, is_cut_before_size_limits
from chunkers.methods.code import Code
from chunkers.methods.dbscan import Dbscan, core_distances
from chunkers.methods.double_pass import DoublePass
from chunkers.methods.fixed_sentences import FixedSentences
from chunkers.methods.fixed_windows import FixedCharacters, FixedTokens, FixedWords
from chunkers.methods.kmeans import KMeans
from chunkers.methods.llm import Llm, Lumber
from chunkers.methods.max_min import MaxMin, MaxMinStep, logistic
from chunkers.methods.optimal import Optimal, PartitionTable, mean_similarity, rewards_of_runs
from chunkers.methods.propositions import Propositions
from chunkers.methods.recursive import Recursive
from chunkers.methods.single_linkage import DisjointSets, SingleLinkage
from chunkers.methods.structure import BlockStep, Structure
from chunkers.methods.target_size import TargetSize
from chunkers.methods.turns import Turns
from chunkers.methods.your_chunks import ChunkFile, YourChunks
from chunkers.methods.your_cuts import YourCuts
