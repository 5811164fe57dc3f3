"""Start of the reader process: packages import only the names that are asked of them, and `reader_process_program` is run.

The ``__init__`` of a package imports its modules, and with them what reading never uses, such as numpy and pydantic. Here a
package imports the module of a name once that name is imported from the package.
"""

import ast
import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

PACKAGES_WITH_PARSERS = {"chunkers", "evaluation", "seamark", "viz"}
"""The packages that parsers lie in, in a checkout and in an installation."""


class LazyPackageLoader(Loader):
    """Loader of a package without running its ``__init__``."""

    def exec_module(self, module: ModuleType) -> None:
        """Give the package a ``__getattr__`` that imports the module of a name (PEP 562)."""
        package_init_source = Path(str(module.__file__)).read_text(encoding="utf-8")
        module_name_by_attribute = {
            alias.name: statement.module
            for statement in ast.parse(package_init_source).body
            if isinstance(statement, ast.ImportFrom) and statement.module
            for alias in statement.names
        }

        def import_attribute(name: str) -> Any:
            if name not in module_name_by_attribute:
                raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
            return getattr(importlib.import_module(module_name_by_attribute[name]), name)

        module.__dict__["__getattr__"] = import_attribute


class LazyPackages(MetaPathFinder):
    """Import finder that has the project's packages loaded by `LazyPackageLoader`."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Find a module of the project; return None for every other."""
        module_spec = PathFinder.find_spec(name, path, target) if name.partition(".")[0] in PACKAGES_WITH_PARSERS else None
        if module_spec is not None and module_spec.origin and module_spec.submodule_search_locations is not None:
            module_spec.loader = LazyPackageLoader()
        return module_spec


if __name__ == "__main__":
    sys.meta_path.insert(0, LazyPackages())
    folder, child = sys.argv[1:]
    sys.path.append(folder)
    importlib.import_module(child).answer_parsing_requests()
