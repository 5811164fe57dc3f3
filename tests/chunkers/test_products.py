"""The products of a model's layers: both ways give the same numbers, and the faster one is chosen where it is there."""

import platform

import pytest

from chunkers.embedders import products as file
from chunkers.embedders.products import LaidOut, Plain, products

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.model

KINDS = {"float32": 2e-6, "bfloat16": 1e-2}
"""How far the two may be apart, relative to the greatest number: sums in another order, then rounded."""


def laid_out(kind):
    if not file._can_lay_out(getattr(torch, kind)):
        pytest.skip(f"this machine has no such product in {kind}")
    return LaidOut(512)


@pytest.mark.parametrize("rows", [1, 2, 7, 512, 1500])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", ["product", "activated"])
def test_both_ways_give_the_same(way, kind, rows):
    fast, plain = laid_out(kind), Plain()
    generator = torch.Generator().manual_seed(rows)
    given, weights, bias = (
        torch.randn(*shape, generator=generator).to(getattr(torch, kind)) for shape in ((rows, 384), (1536, 384), (1536,))
    )
    with torch.inference_mode():
        found, wanted = (getattr(one, way)(given, one.factor(weights, bias)).float() for one in (fast, plain))
    assert found.shape == (rows, 1536)
    assert float((found - wanted).abs().max() / wanted.abs().max()) < KINDS[kind]


def test_the_gelu_is_the_exact_one():
    with torch.inference_mode():
        one = torch.ones(1, 1)
        found = [
            float(way.activated(one * 3 / 2, way.factor(one, torch.zeros(1)))) for way in (laid_out("float32"), Plain())
        ]
    # 1.5 times the normal distribution's share below 1.5; by the hyperbolic tangent it would be 1.39957.
    assert found == pytest.approx([1.3997892, 1.3997892], abs=1e-6)


def test_the_plain_way_is_taken_where_the_other_is_not_there(monkeypatch):
    assert isinstance(products("cuda", torch.float32, 512), Plain)
    assert isinstance(products("cpu", torch.float16, 512), Plain)
    monkeypatch.setattr(platform, "machine", lambda: "arm64")
    assert isinstance(products("cpu", torch.float32, 512), Plain)


def test_the_other_is_taken_where_it_is(monkeypatch):
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    if torch.backends.mkldnn.is_available():
        assert isinstance(products("cpu", torch.float32, 512), LaidOut)
