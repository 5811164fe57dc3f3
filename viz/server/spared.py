"""Patches that skip startup work of Streamlit that this app does not need."""

from __future__ import annotations

from pathlib import Path

from streamlit import delta_generator
from streamlit.components.v2 import manifest_scanner


def spare_the_start() -> None:
    """Keep Streamlit from looking for components of other packages, and for a prompt of Python's.

    For the components it reads the metadata of every package that is installed, before it answers. For the prompt, when it
    draws the first element of all, it reads the source of every frame of the stack, and has the path of each of a thousand
    modules resolved; where there is one, it would say that apps are to be run by ``streamlit run``. A second call changes
    nothing.
    """
    manifest_scanner.scan_component_manifests = _none
    delta_generator._use_warning_has_been_displayed = True


def _none(max_workers: int | None = None) -> list[tuple[manifest_scanner.ComponentManifest, Path]]:
    return []
