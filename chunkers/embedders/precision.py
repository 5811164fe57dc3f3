"""How fast this machine multiplies matrices in bfloat16, measured and not guessed from the processor's name."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cache

NATIVE = 1.3
"""How many times as fast as in float32 a product must be for bfloat16 to be worth its rounding: what a model does besides
products gains nothing."""

_ROWS, _WIDTH, _WIDER = 1024, 384, 1536
"""The largest product of the bundled model: a batch of tokens, and the weights that widen them."""

_REPEATS = 7


@dataclass(frozen=True)
class Speeds:
    """Milliseconds of one matrix product in both precisions, the shortest of several."""

    float32_ms: float
    bfloat16_ms: float

    @property
    def factor(self) -> float:
        """How many times as fast bfloat16 is."""
        return self.float32_ms / self.bfloat16_ms

    @property
    def native(self) -> bool:
        """Whether bfloat16 is worth choosing here."""
        return self.factor >= NATIVE

    def words(self) -> str:
        """Say what was measured, and which is faster."""
        faster = "float32" if self.factor < 1 else "bfloat16"
        factor = max(self.factor, 1 / self.factor)
        return (
            f"a matrix product took {self.bfloat16_ms:.2g} ms in bfloat16 and {self.float32_ms:.2g} ms in float32, so that "
            f"{faster} is {factor:.1f} times as fast"
        )


@cache
def measured(device: str) -> Speeds:
    """Measure both on a device of torch, once in this process; a small fraction of a second."""
    import torch

    times = []
    for kind in (torch.float32, torch.bfloat16):
        rows = torch.ones((_ROWS, _WIDTH), dtype=kind, device=device)
        weights = torch.ones((_WIDER, _WIDTH), dtype=kind, device=device)
        shortest = float("inf")
        with torch.inference_mode():
            # The first product prepares what the others use.
            for repeat in range(_REPEATS + 1):
                began = time.perf_counter()
                product = torch.nn.functional.linear(rows, weights)
                # Reading a number waits for a device that works on its own.
                product[-1, -1].item()
                if repeat:
                    shortest = min(shortest, time.perf_counter() - began)
        times.append(shortest * 1000)
    return Speeds(*times)
