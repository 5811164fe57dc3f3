"""Base class of jobs that can be stored on disk."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from chunkers import InputError
from viz.jobs.background import Background
from viz.jobs.keeping.kept_run import KeptRun
from viz.jobs.keeping.run_file import RunFile


class KeptJob(Background):
    """A job that can be stored on disk, part by part, and resumed from its finished parts.

    Attributes
    ----------
    kept
        The storage of the run; None if it is not stored. Each part is stored before it is shown.
    """

    kept: KeptRun[Any] | None

    @property
    @abstractmethod
    def total(self) -> int:
        """The number of parts of the job."""

    @property
    @abstractmethod
    def done(self) -> int:
        """The number of finished parts of the job, including failed parts."""

    @property
    def can_go_on(self) -> bool:
        """True if the job stopped early and is stored on disk, so that it can be resumed."""
        return self.kept is not None and self.done < self.total and (self.cancelled or not self.running)


def measure_bundled(job: KeptJob) -> RunFile:
    """Run a job that is stored in a `RunFile`, and return the file; raises InputError if the job does not finish."""
    assert job.kept is not None
    file = job.kept.keeper.store
    assert isinstance(file, RunFile)
    job.start()
    job.join(600)
    if job.error or job.running or job.kept.done < job.total:
        raise InputError(job.error or "The run must end with all its parts measured; it has not.")
    return file
