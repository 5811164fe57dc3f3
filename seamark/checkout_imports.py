"""The import ``seamark.chunkers`` in a checkout, where the room lies next to this package and is called ``chunkers``."""

from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

INNER_PACKAGES = ("chunkers", "corpus", "evaluation", "integrations", "sample_docs", "viz")
"""The packages that an installation has inside ``seamark``; `packing.seamark_backend` moves the same."""


class CheckoutFinder(MetaPathFinder, Loader):
    """Import hook that maps modules of the installed package to those of a checkout, so that none is loaded twice."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module in one of the package's folders; None for every other module."""
        outermost_package_name, _, module_name = fullname.partition(".")
        return (
            ModuleSpec(fullname, self)
            if outermost_package_name == __package__ and module_name.partition(".")[0] in INNER_PACKAGES
            else None
        )

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Import a module under its name in the checkout and return it."""
        imported_checkout_module = import_module(spec.name.partition(".")[2])
        # The import system gives the module this spec; it keeps its own.
        spec.loader_state = imported_checkout_module.__spec__
        return imported_checkout_module

    def exec_module(self, module: ModuleType) -> None:
        """Restore the module's own spec without executing the module again.

        The module was executed when it was imported under its name in the checkout.
        """
        assert module.__spec__ is not None
        module.__spec__ = module.__spec__.loader_state
