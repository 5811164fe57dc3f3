"""Base class for adapters, which are chunkers that use another library's chunker."""

from abc import abstractmethod
from importlib import import_module, metadata
from typing import ClassVar

from chunkers.adapters.piece_location import chunking_of_pieces
from chunkers.contract import Chunker, Tools
from chunkers.results import Chunking
from chunkers.support import Cancelled, InputError, ModelError, one_line_message
from chunkers.text import Document


class Adapter(Chunker):
    """Base class for adapters, which run another library's chunker with this project's embedder for comparison.

    Attributes
    ----------
    library
        Name of the library's chunker, for reasons and notes.
    package, module
        Names of the library for pip and for ``import``.
    requirement
        Requirement for pip, pinned to the version that the tests run.
    """

    embeds: ClassVar[bool] = True
    library: ClassVar[str]
    package: ClassVar[str]
    module: ClassVar[str]
    requirement: ClassVar[str]

    @abstractmethod
    def piece_texts(self, document: Document, tools: Tools) -> list[str]:
        """Return the texts of the chunks that the library makes; ``module`` is imported before this call."""

    @classmethod
    def versions(cls) -> dict[str, str]:
        """Return the library's installed version, keyed by package name; empty if the library is not installed."""
        installed_library_version = cls.version()
        return {} if installed_library_version is None else {cls.package: installed_library_version}

    @classmethod
    def version(cls) -> str | None:
        """Return the library's installed version; None if the library is not installed."""
        try:
            return metadata.version(cls.package)
        except metadata.PackageNotFoundError:
            return None

    def chunk(self, document: Document, tools: Tools) -> Chunking:
        """Cut the document with the other library, and map the library's chunks to spans of the original text.

        Raises
        ------
        ModelError
            If the library is not installed, or fails on this text.
        """
        if not document.sentences:
            return Chunking(document, (), ())
        try:
            with tools.measure_loading_time():
                import_module(self.module)
            return self._build_chunking_from_library_pieces(document, tools)
        except (InputError, Cancelled):
            raise
        except ImportError as error:
            raise ModelError(
                f"{self.name} needs the package {self.package}, which cannot be imported ({error}); "
                f"install it with 'pip install {self.requirement}'."
            ) from error
        except Exception as error:
            # Whatever another library raises concerns this column alone, and the user cannot fix it.
            error_message = one_line_message(f"{type(error).__name__}: {error}", 200).rstrip(".")
            raise ModelError(
                f"{self.library} could not cut this text: {error_message}. Change a parameter, or choose another chunker."
            ) from error

    def _build_chunking_from_library_pieces(self, document: Document, tools: Tools) -> Chunking:
        """Return the pieces as chunks located in the original."""
        return chunking_of_pieces(document, self.piece_texts(document, tools), self.library)
