"""The verifier agrees with every vector of docs/receipts/vectors.json."""

import json
import pathlib

import pytest

from countersign.receipts import InvalidReceipt, verify

VECTORS = json.loads(
    (pathlib.Path(__file__).resolve().parents[3] / "docs/receipts/vectors.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("vector", VECTORS["vectors"], ids=lambda vector: vector["name"])
def test_a_vector_is_valid_or_breaks_its_rule(vector):
    try:
        verify(vector["receipt"], VECTORS["jwks"], vector["issuer"])
    except InvalidReceipt as broken:
        assert broken.rule == vector["rule"]
    else:
        assert vector["rule"] is None


def test_the_vectors_break_every_rule():
    assert len({vector["rule"] for vector in VECTORS["vectors"]}) == 28
