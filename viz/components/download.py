"""Download buttons whose file names are unique to their content."""

import hashlib
from collections.abc import Callable

from streamlit.delta_generator import DeltaGenerator


def download(
    place: DeltaGenerator,
    label: str,
    data: Callable[[], str | bytes],
    name: str,
    mime: str,
    of: object,
    *,
    key: str | None = None,
    help: str | None = None,
    disabled: bool = False,
) -> None:
    """Draw a download button whose file name contains a digest of ``of``, the identity of the file's content.

    Streamlit identifies a large file by its name, its length and three samples of 64 KiB. Two files that differ elsewhere
    would be confused, and a session could receive another's file. The digest in the name prevents this.

    Parameters
    ----------
    data
        Builds the file on demand.
    name
        The file's name without the digest.
    of
        What determines the content, such as the identity of a text and a recipe; its ``repr`` is digested.
    """
    stem, dot, ending = name.partition(".")
    digest = hashlib.blake2b(repr(of).encode(errors="surrogatepass"), digest_size=6).hexdigest()
    place.download_button(
        label,
        data,
        f"{stem}-{digest}{dot}{ending}",
        mime,
        on_click="ignore",
        key=key,
        help=help,
        disabled=disabled,
        width="content",
    )
