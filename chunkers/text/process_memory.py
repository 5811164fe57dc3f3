"""Memory use of another process, monitored if the system enforces no limit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from chunkers.support.extras import need


def check_memory_is_known() -> None:
    """Raise ModelError if the memory use of processes cannot be measured, as on Windows without psutil."""
    if sys.platform == "win32":
        need("files", "Reading files within limits of memory", "psutil")


def memory_of(pid: int) -> int:
    """Return the memory that a process uses, in bytes; 0 if the process has ended."""
    try:
        import psutil
    except ImportError:
        # The library alone is installed without it.
        return _of_linux(pid) if sys.platform == "linux" else _of_ps(pid)
    try:
        return int(psutil.Process(pid).memory_info().rss)
    except psutil.Error:
        return 0


def _of_linux(pid: int) -> int:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except (OSError, IndexError, ValueError):
        return 0
    import resource

    return pages * resource.getpagesize()


def _of_ps(pid: int) -> int:
    """Return the memory reported by POSIX's ``ps``, in units of 1,024 bytes: macOS has no /proc."""
    output = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return int(output) * 1024 if output.strip().isdecimal() else 0
