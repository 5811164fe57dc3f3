"""Jobs that may be kept on disk."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from chunkers import InputError
from viz.jobs.background import Background
from viz.jobs.keeping.kept_run import KeptRun
from viz.jobs.keeping.run_file import RunFile


class KeptJob(Background):
    """A job that may be kept on disk: it stores each part before it shows it, and resumes with its finished parts.

    Attributes
    ----------
    kept
        Where it is kept; None if it is not.
    """

    kept: KeptRun[Any] | None

    @property
    @abstractmethod
    def total(self) -> int:
        """The number of parts."""

    @property
    @abstractmethod
    def done(self) -> int:
        """The number of parts that are finished, failed ones included."""

    @property
    def can_go_on(self) -> bool:
        """True if the job stopped early and is kept on disk, so that it can be resumed."""
        return self.kept is not None and self.done < self.total and (self.cancelled or not self.running)


def measure_bundled(job: KeptJob) -> RunFile:
    """Run a job that is kept in a `RunFile`, and return the file; raises InputError if the job does not finish."""
    assert job.kept is not None
    file = job.kept.keeper.store
    assert isinstance(file, RunFile)
    job.start()
    job.join(600)
    if job.error or job.running or job.kept.done < job.total:
        raise InputError(job.error or "The run must end with all its parts measured; it has not.")
    return file
