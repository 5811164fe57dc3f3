"""Devices for a model, this machine's processor or a faster device that torch finds, and the import of torch."""

import os
import platform
import sys
from pathlib import Path

from chunkers.support.errors import InputError, ModelError, shown
from chunkers.support.extras import lacking, need, not_importable

DEVICES = {
    "auto": "a CUDA or an Apple device if torch finds one, or else the processor",
    "cpu": "this machine's processor",
    "cuda": "the CUDA device",
    "mps": "the Apple device",
}
"""Devices by the name that users give, with a description; all but ``auto`` are devices of torch."""

_NODES = ("nvidia*", "nvhost*", "nvmap", "dxg", "kfd")
"""Files below /dev of which Linux has one where torch can find a device: of NVIDIA, its boards, Windows beneath, and AMD."""


def check_device(device: str) -> None:
    """Raise InputError if ``device`` is not a key of `DEVICES`; the machine need not have the device."""
    if device not in DEVICES:
        raise InputError(f"device must be one of {', '.join(DEVICES)}; got {shown(device)}.")


def device_without_torch(requested: str) -> str:
    """Return the device if it can be determined without importing torch, which is slow; otherwise an empty string."""
    if requested == "cpu" or (requested == "auto" and (not _may_have_another() or lacking("models", "auto"))):
        return "cpu"
    return ""


def _may_have_another() -> bool:
    if sys.platform == "darwin":
        return platform.machine() == "arm64"
    return not sys.platform.startswith("linux") or any(any(Path("/dev").glob(name)) for name in _NODES)


def find_device(requested: str) -> str:
    """Return torch's name for a device in `DEVICES`; torch is imported unless the device is the CPU.

    Raises
    ------
    ModelError
        If torch or sentence-transformers is not installed, torch cannot be imported, or it does not find the device; the
        message says which, and names the devices that torch finds.
    """
    if known := device_without_torch(requested):
        return known
    need("models", f"The device {requested}")
    try:
        import_torch()
    except ImportError as error:
        if requested == "auto":
            return "cpu"
        raise not_importable("torch", f"The device {requested}", "'seamark[models]'", error) from error
    import torch

    devices = [name for name, backend in (("cuda", torch.cuda), ("mps", torch.backends.mps)) if backend.is_available()] + [
        "cpu"
    ]
    if requested == "auto":
        return devices[0]
    if requested not in devices:
        raise ModelError(
            f"device must be one of {', '.join(['auto', *devices])}, because torch finds no other device on this machine; "
            f"got {requested}."
        )
    return requested


def revision_on(revision: str, device: str) -> str:
    """Return the revision of a model's vectors on a device, derived from the revision of the model's weights.

    Devices other than the processor add numbers in another order and approximate exponentials differently, so their
    vectors need not be within 1e-6 of the processor's. They have their own revision, so that a cache never mixes vectors
    from different devices.
    """
    return revision if device == "cpu" else f"{revision}/{device}"


_POLICY = "OMP_WAIT_POLICY"


def import_torch() -> None:
    """Import torch so that its OpenMP threads sleep while waiting, unless the environment sets a wait policy.

    By default OpenMP's threads spin while they wait. With processors of their own, spinning saves microseconds. If a
    browser or another program needs the same processors, spinning takes processor time from the very thread that is
    waited for, and the work takes several times as long.
    """
    need("models", "What runs on torch", "torch")
    # OpenMP reads the policy once, when torch loads it. Processes that this one starts need not inherit it.
    ours = _POLICY not in os.environ
    if ours:
        os.environ[_POLICY] = "passive"
    try:
        import torch  # noqa: F401
    finally:
        if ours:
            os.environ.pop(_POLICY, None)
