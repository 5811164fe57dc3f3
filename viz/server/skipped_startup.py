"""Patches that skip Streamlit startup work that this app does not need."""

from __future__ import annotations

from pathlib import Path

from streamlit import delta_generator
from streamlit.components.v2 import manifest_scanner


def skip_needless_startup() -> None:
    """Skip Streamlit's search for components of other packages, and its check for an interactive prompt.

    The search reads the metadata of every installed package before the first response. The check, which would warn users of
    a prompt to use ``streamlit run``, reads the source of every stack frame and resolves the paths of a thousand modules
    when the first element is drawn. A second call has no effect.
    """
    manifest_scanner.scan_component_manifests = _none
    delta_generator._use_warning_has_been_displayed = True


def _none(max_workers: int | None = None) -> list[tuple[manifest_scanner.ComponentManifest, Path]]:
    return []
