"""The manifest of a run: which inputs are in which shard, written before the first of them, and never changed."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

from chunkers.support.errors import InputError, shown
from corpus.pieces import MOST_FILES, Piece, label
from corpus.shards import PROBLEMS, UNFINISHED, Shard, appearing
from corpus.tables import SCHEMA

MANIFEST = "_manifest.jsonl"
LOCK = "_lock"

VERSION = 1
"""The number of the manifest's form."""


def shards(pieces: Iterable[Piece], size: int) -> Iterator[Shard]:
    """Group consecutive input pieces into shards of at most ``size`` bytes and `MOST_FILES` pieces each.

    A piece larger than ``size`` forms a shard of its own.
    """
    number, together, weight = 0, list[Piece](), 0
    for piece in pieces:
        if together and (weight + piece.weight > size or len(together) >= MOST_FILES):
            yield Shard(number, tuple(together))
            number, together, weight = number + 1, [], 0
        together.append(piece)
        weight += piece.weight
    if together:
        yield Shard(number, tuple(together))


class Manifest:
    """Manifest file of an output folder, which lists the recipe, the options and all shards of a run.

    Parameters
    ----------
    folder
        The output folder.
    names
        The inputs as the user gave them, for messages.
    told
        Recipe and options of the run, as JSON-compatible values; with the inputs, they determine the chunks.
    """

    def __init__(self, folder: Path, names: Sequence[Path], told: Mapping[str, Any]) -> None:
        self._folder = folder
        self._path = folder / MANIFEST
        self._names = names
        self._told = {"manifest": VERSION, "schema": SCHEMA, **told}
        self.plan = hashlib.blake2b(json.dumps(self._told, sort_keys=True).encode(), digest_size=16).hexdigest()

    def begin(self, shards: Iterable[Shard]) -> bool:
        """Write the manifest, or check that an existing manifest matches this run; return True if one existed.

        Raises
        ------
        InputError
            If the folder contains other files, if the inputs contain no document, or if the existing manifest has a
            different recipe, columns, options or inputs.
        """
        if self._path.exists():
            self._check_told()
            self._check_shards(shards)
            return True
        others = sorted(path.name for path in self._folder.iterdir() if path.name != LOCK)
        if others:
            raise InputError(
                "--output must be a new or empty folder, or the folder of an earlier run; this folder contains "
                f"{shown(others[0])}. Name another folder."
            )
        with appearing(self._path) as file:
            file.write(json.dumps(self._told).encode() + b"\n")
            count = 0
            for shard in shards:
                file.write(shard.to_json().encode() + b"\n")
                count += 1
            if not count:
                raise InputError(
                    "The inputs must contain at least one readable document; they contain none. Name other inputs."
                )
        (self._folder / PROBLEMS).mkdir(exist_ok=True)
        return False

    def shards(self) -> Iterator[Shard]:
        """Yield the shards listed in the manifest, in order."""
        with self._path.open(encoding="utf-8") as file:
            next(file)
            yield from map(Shard.from_json, file)

    def sweep(self) -> None:
        """Remove unfinished files left by a killed run."""
        for folder in (self._folder, self._folder / PROBLEMS):
            for path in folder.glob(f"{UNFINISHED}*"):
                path.unlink(missing_ok=True)

    def _check_told(self) -> None:
        """Raise InputError if the columns, the recipe or an option differ."""
        with self._path.open(encoding="utf-8") as file:
            # The first manifests did not name the schema.
            before = {"schema": 1, **json.loads(file.readline())}
        if before["schema"] != SCHEMA:
            raise InputError(
                f"--output must continue a run with the same columns; {self._folder} has version {shown(before['schema'])} "
                f"of the columns, and this Seamark writes version {SCHEMA}. Name a new folder."
            )
        for name in {**before, **self._told}:
            old, new = before.get(name), self._told.get(name)
            if old == new:
                continue
            if name == "recipe" and isinstance(old, dict) and isinstance(new, dict):
                name, old, new = _difference(old, new)
            raise InputError(
                f"--output must continue a run with the same recipe and options; {name} was {shown(old)} and is now "
                f"{shown(new)}. Name a new folder."
            )

    def _check_shards(self, new_shards: Iterable[Shard]) -> None:
        """Raise InputError if the inputs differ, naming the first difference."""
        for before, now in zip_longest(_pieces(self.shards()), _pieces(new_shards)):
            if before == now:
                continue
            if now is None or (before is not None and _place(before) < _place(now)):
                piece, what = before, "is gone"
            elif before is None or _place(now) < _place(before):
                piece, what = now, "is new"
            else:
                piece, what = now, "has changed"
            raise InputError(
                f"--output must continue a run with the same inputs; {label(self._names, piece)} {what} since that "
                "run began. Name a new folder."
            )


def _pieces(all_shards: Iterable[Shard]) -> Iterator[Piece]:
    return chain.from_iterable(shard.pieces for shard in all_shards)


def _place(piece: Piece) -> tuple[int, list[bytes]]:
    """Return the sort key for pieces of different files."""
    return piece.root, os.fsencode(piece.path).split(b"/")


def _difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, Any, Any]:
    """Return the first entry that differs between two recipes, or between mappings in them."""
    for name in {**old, **new}:
        before, now = old.get(name), new.get(name)
        if isinstance(before, dict) and isinstance(now, dict) and before != now:
            inner, before, now = _difference(before, now)
            return f"{name}.{inner}", before, now
        if before != now:
            return name, before, now
    raise AssertionError
