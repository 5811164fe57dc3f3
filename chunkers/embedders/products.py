"""Matrix products of a model's layers: as torch offers them, or with the matrix laid out beforehand for the processor."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    import torch
    from torch import Tensor

_INTEL = ("x86_64", "AMD64")
"""The processors, as `platform.machine` names them, on which the products of oneDNN were measured to be faster."""


class Factor(NamedTuple):
    """What rows are multiplied by, and what is added: weights, shape (out, in), laid out or not, and a bias, (out,)."""

    weights: Tensor
    bias: Tensor


class Products(Protocol):
    """A way to multiply."""

    def factor(self, weights: Tensor, bias: Tensor) -> Factor:
        """Return the factor of weights, shape (out, in), and a bias, shape (out,)."""

    def product(self, rows: Tensor, factor: Factor) -> Tensor:
        """Return the rows, shape (rows, in), times the factor, shape (rows, out)."""

    def activated(self, rows: Tensor, factor: Factor) -> Tensor:
        """Return the GELU (exact, by the error function) of the product, shape (rows, out)."""


class Plain:
    """Products as torch offers them, on every device."""

    def factor(self, weights: Tensor, bias: Tensor) -> Factor:
        """Return both as they are."""
        return Factor(weights, bias)

    def product(self, rows: Tensor, factor: Factor) -> Tensor:
        """Return the rows times the factor."""
        from torch.nn import functional

        return functional.linear(rows, *factor)

    def activated(self, rows: Tensor, factor: Factor) -> Tensor:
        """Return the GELU of the product, in a second pass over it."""
        from torch.nn import functional

        return functional.gelu(self.product(rows, factor))


class LaidOut:
    """Products of oneDNN, whose weights are laid out once as the processor reads them, and whose GELU is in the same pass.

    They are what torch's compiler makes of a layer that is frozen. Torch has no public name for them, so `products` asks
    whether they are there, and torch's version is pinned.

    Parameters
    ----------
    rows
        The number of rows that most products will have; the layout suits it, and works for any other.
    """

    def __init__(self, rows: int) -> None:
        self._rows = rows

    def factor(self, weights: Tensor, bias: Tensor) -> Factor:
        """Lay the weights out; the tensor can be used for nothing else."""
        import torch

        return Factor(torch.ops.mkldnn._reorder_linear_weight(weights.contiguous(), self._rows), bias)

    def product(self, rows: Tensor, factor: Factor) -> Tensor:
        """Return the rows times the factor."""
        return _pointwise(rows, factor, "none")

    def activated(self, rows: Tensor, factor: Factor) -> Tensor:
        """Return the GELU of the product."""
        return _pointwise(rows, factor, "gelu")


def _pointwise(rows: Tensor, factor: Factor, what: str) -> Tensor:
    import torch

    # The last word chooses the exact GELU, not the one by the hyperbolic tangent.
    product: Tensor = torch.ops.mkldnn._linear_pointwise(rows, *factor, what, [], "none")
    return product


def products(device: str, kind: torch.dtype, rows: int) -> Products:
    """Return the fastest way to multiply numbers of that kind on a device of torch, mostly so many rows at once."""
    return LaidOut(rows) if device == "cpu" and _can_lay_out(kind) else Plain()


def _can_lay_out(kind: torch.dtype) -> bool:
    import torch

    operators = torch.ops.mkldnn
    return (
        platform.machine() in _INTEL
        and torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
        and all(hasattr(operators, name) for name in ("_reorder_linear_weight", "_linear_pointwise"))
        and (kind == torch.float32 or (kind == torch.bfloat16 and bool(operators._is_mkldnn_bf16_supported())))
    )
