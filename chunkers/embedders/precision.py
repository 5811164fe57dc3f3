"""How fast this machine multiplies matrices in bfloat16, measured and not guessed from the processor's name."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cache, partial

from chunkers.embedders.products import products

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
        rounded, exact = (f"{one:,.0f}" if one >= 10 else f"{one:.2g}" for one in (self.bfloat16_ms, self.float32_ms))
        return (
            f"a matrix product took {rounded} ms in bfloat16 and {exact} ms in float32, so that {faster} is "
            f"{factor:.1f} times as fast"
        )


@cache
def measured(device: str) -> Speeds:
    """Measure both on a device of torch, once in this process; a small fraction of a second."""
    import torch

    kinds = torch.float32, torch.bfloat16
    ones = partial(torch.ones, device=device)
    shortest = [float("inf")] * len(kinds)
    with torch.inference_mode():
        ways = [products(device, kind, _ROWS) for kind in kinds]
        rows = [ones((_ROWS, _WIDTH), dtype=kind) for kind in kinds]
        factors = [
            way.factor(ones((_WIDER, _WIDTH), dtype=kind), ones(_WIDER, dtype=kind))
            for way, kind in zip(ways, kinds, strict=True)
        ]
        # The first products prepare what the others use. They take turns, so that both meet what else the machine does.
        for repeat in range(_REPEATS + 1):
            for place, way in enumerate(ways):
                began = time.perf_counter()
                product = way.product(rows[place], factors[place])
                # Reading a number waits for a device that works on its own.
                product[-1, -1].item()
                if repeat:
                    shortest[place] = min(shortest[place], time.perf_counter() - began)
    return Speeds(*(1000 * one for one in shortest))
