"""The processes that read files, as the tests find them among the processes of the system."""

from contextlib import suppress

import psutil


def readers(pid=None):
    """Return the processes that read files for process ``pid`` (none: this one); not those of a process that it started."""
    found = []
    for child in psutil.Process(pid).children():
        # A process may end between two questions, and one that ended has no command line.
        with suppress(psutil.NoSuchProcess):
            if any("reader_process_program" in word for word in child.cmdline()):
                found.append(child)
    return found
