"""What every adapter is: a chunker that lets another library cut, where that library is installed."""

from __future__ import annotations

from abc import abstractmethod
from importlib import import_module, metadata
from typing import ClassVar

from chunkers.adapters.mapping import mapped
from chunkers.base import Chunker
from chunkers.errors import Cancelled, InputError, ModelError
from chunkers.result import Chunking
from chunkers.text.document import Document
from chunkers.tools import Tools


class Adapter(Chunker):
    """Base of the chunkers that run another library's own, with this project's embedder, to compare with.

    Attributes
    ----------
    library
        Whose chunker it is, as reasons and notes say it.
    package, module
        The name under which it is installed, and that under which it is imported.
    requirement
        What pip installs: the version that the tests ran.
    """

    embeds: ClassVar[bool] = True
    library: ClassVar[str]
    package: ClassVar[str]
    module: ClassVar[str]
    requirement: ClassVar[str]

    @abstractmethod
    def pieces(self, document: Document, tools: Tools) -> list[str]:
        """Return the texts of the chunks as the library gives them; called when ``module`` is imported."""

    @classmethod
    def versions(cls) -> dict[str, str]:
        """Return the version of the library; nothing where it is not installed."""
        version = cls.version()
        return {} if version is None else {cls.package: version}

    @classmethod
    def version(cls) -> str | None:
        """Return the version that is installed; None where none is."""
        try:
            return metadata.version(cls.package)
        except metadata.PackageNotFoundError:
            return None

    def chunk(self, document: Document, tools: Tools) -> Chunking:
        """Let the library cut the document, and find its chunks in the original.

        Raises
        ------
        ModelError
            If the library is not installed, or fails on this text.
        """
        if not document.sentences:
            return Chunking(document, (), ())
        try:
            with tools.loading():
                import_module(self.module)
            pieces = self.pieces(document, tools)
        except (InputError, Cancelled):
            raise
        except ImportError as error:
            raise ModelError(
                f"{self.name} needs the package {self.package}, which cannot be imported ({error}); "
                f"install it with 'pip install {self.requirement}'."
            ) from error
        except Exception as error:
            # Whatever another library raises is about this column alone, and the person at the page cannot mend it.
            said = " ".join(f"{type(error).__name__}: {error}".split())
            raise ModelError(f"{self.library} must cut this text; it failed with {said[:200].rstrip('.')}.") from error
        return mapped(document, pieces, self.library)
