"""The language detector, with its model unpacked once and memory-mapped, because unpacking is slow."""

import hashlib
import json
import math
import mmap
import sys
import zlib
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from chunkers.storage.private_files import user_cache_folder, write_atomically

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

ArrayByName = dict[str, npt.NDArray[np.generic]]

_ARRAY_ALIGNMENT_BYTES = 64
_CHECKSUM_BYTE_COUNT = 4
_HEAD_BYTE_COUNT = 8
"""Bytes of the checksum, and of it and the length of the description that follows."""


def load_detector_model(cache_folder: Path | None = None) -> "LanguageIdentifier":
    """Load py3langid's language detector, with all of its languages and normalised probabilities.

    The model's arrays are kept, unpacked, in ``cache_folder``, by default the user's cache folder. A damaged file is
    replaced; if no file can be written, the model is unpacked each time.
    """
    from py3langid.langid import MODEL_DIR, MODEL_FILE, LanguageIdentifier

    model_digest = hashlib.blake2b((MODEL_DIR / MODEL_FILE).read_bytes(), digest_size=8).hexdigest()
    arrays_cache_path = (cache_folder or user_cache_folder()) / f"languages-{model_digest}-{sys.byteorder}.bin"
    model_array_by_name = read_arrays(arrays_cache_path)
    if model_array_by_name is None:
        py3langid_identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
        write_arrays(
            arrays_cache_path,
            {
                "ptc": py3langid_identifier.nb_ptc,
                "pc": py3langid_identifier.nb_pc,
                "classes": np.array(py3langid_identifier.nb_classes),
                "nextmove": np.asarray(py3langid_identifier.tk_nextmove),
                "row": np.asarray(py3langid_identifier.tk_row),
                "output": np.array(py3langid_identifier.tk_output, dtype=np.int32),
            },
        )
        return py3langid_identifier
    return LanguageIdentifier(
        model_array_by_name["ptc"],
        model_array_by_name["pc"],
        model_array_by_name["classes"].tolist(),
        # Its numbers are read one by one, which an array of NumPy does more slowly.
        model_array_by_name["nextmove"].data,
        model_array_by_name["output"].tolist(),
        norm_probs=True,
        tk_row=model_array_by_name["row"].tolist(),
    )


def read_arrays(path: Path) -> ArrayByName | None:
    """Read a file of arrays as a read-only memory map; None if the file is missing, truncated or damaged."""
    try:
        with path.open("rb") as file:
            mapped_bytes = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError):
        return None
    # The checksum is about damage: whoever can forge the file could forge any hash in it.
    if len(mapped_bytes) < _HEAD_BYTE_COUNT or zlib.crc32(mapped_bytes[_CHECKSUM_BYTE_COUNT:]) != int.from_bytes(
        mapped_bytes[:_CHECKSUM_BYTE_COUNT]
    ):
        return None
    description_size = int.from_bytes(mapped_bytes[_CHECKSUM_BYTE_COUNT:_HEAD_BYTE_COUNT])
    array_offset = _HEAD_BYTE_COUNT + description_size
    array_by_name = {}
    for array_name, array_dtype, array_shape in json.loads(bytes(mapped_bytes[_HEAD_BYTE_COUNT:array_offset])):
        array_offset += -array_offset % _ARRAY_ALIGNMENT_BYTES
        array_by_name[array_name] = np.frombuffer(mapped_bytes, array_dtype, math.prod(array_shape), array_offset).reshape(
            array_shape
        )
        array_offset += array_by_name[array_name].nbytes
    return array_by_name


def write_arrays(path: Path, arrays: ArrayByName) -> None:
    """Write named arrays to a file with a checksum; if that fails, no file is left behind."""
    array_descriptions_json = json.dumps([[name, array.dtype.str, array.shape] for name, array in arrays.items()]).encode()
    content_parts: list[bytes | memoryview] = [
        len(array_descriptions_json).to_bytes(_HEAD_BYTE_COUNT - _CHECKSUM_BYTE_COUNT),
        array_descriptions_json,
    ]
    array_offset = _HEAD_BYTE_COUNT + len(array_descriptions_json)
    for array in arrays.values():
        alignment_padding_byte_count = -array_offset % _ARRAY_ALIGNMENT_BYTES
        content_parts += [bytes(alignment_padding_byte_count), np.ascontiguousarray(array).view(np.uint8).data]
        array_offset += alignment_padding_byte_count + array.nbytes
    content_crc32_checksum = reduce(lambda sum_before, part: zlib.crc32(part, sum_before), content_parts, 0)
    write_atomically(path, [content_crc32_checksum.to_bytes(_CHECKSUM_BYTE_COUNT), *content_parts])
