"""The contract of a chunker: its base class and the services it is given."""

from chunkers.contract.base import Chunker, Estimate, FieldSpec, Reach, Setting, Tipping, run_and_time_chunker
from chunkers.contract.tools import Meter, Tools, Watcher
