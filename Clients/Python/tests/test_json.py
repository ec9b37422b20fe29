"""RFC 8785 and strict JSON. The numbers' expected digits are derived by trying precisions, and not by repr."""

import json
import random
import struct

import pytest

from countersign._json import NotJSON, canonical, parse


def shortest(value):
    """ECMAScript's digits and exponent: the shortest decimal that reads back."""
    for precision in range(17):
        text = f"{abs(value):.{precision}e}"
        if float(text) == abs(value):
            mantissa, exponent = text.split("e")
            return mantissa.replace(".", "").rstrip("0") or "0", int(exponent)
    raise AssertionError


def expected(value):
    if value == 0:
        return "0"
    digits, exponent = shortest(value)
    sign = "-" if value < 0 else ""
    if 0 <= exponent < 21:
        whole = digits[:exponent + 1].ljust(exponent + 1, "0")
        return sign + whole + ("." + digits[exponent + 1:] if len(digits) > exponent + 1 else "")
    if -6 <= exponent < 0:
        return sign + "0." + "0" * (-exponent - 1) + digits
    return sign + digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + f"e{exponent:+d}"


@pytest.mark.parametrize("bits, text", [
    ("0000000000000000", "0"), ("8000000000000000", "0"), ("0000000000000001", "5e-324"),
    ("7fefffffffffffff", "1.7976931348623157e+308"), ("4340000000000000", "9007199254740992"),
    ("444b1ae4d6e2ef50", "1e+21"), ("444b1ae4d6e2ef4f", "999999999999999900000"),
    ("3eb0c6f7a0b5ed8d", "0.000001"), ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"), ("44b52d02c7e14af6", "1e+23")])
def test_numbers_at_the_limits_of_the_notations(bits, text):
    value = struct.unpack(">d", bytes.fromhex(bits))[0]
    assert canonical(value).decode() == text == expected(value)


def test_random_numbers_have_the_shortest_digits():
    chance = random.Random(1)
    for _ in range(3000):
        value = struct.unpack(">d", chance.randbytes(8))[0]
        if value - value == 0:
            assert canonical(value).decode() == expected(value)
            assert parse(canonical(value)) == value


def test_members_are_sorted_by_utf16_and_texts_escaped():
    value = {"\U0001f600": 1, "\ufb33": 2, "a": "\u20ac\x0f\n\"\\/\x7f", "": None}
    assert canonical(value).decode() == '{"":null,"a":"€\\u000f\\n\\"\\\\/\x7f","😀":1,"\ufb33":2}'


@pytest.mark.parametrize("value", [
    float("nan"), float("inf"), 2**53, -2**53, b"", {1: 2}, {"a": object()}, "\ud800", {"\udfff": 1}, (1,), {1}])
def test_a_value_without_one_meaning_is_refused(value):
    with pytest.raises(NotJSON):
        canonical(value)


def test_a_value_within_itself_is_refused():
    value = []
    value.append(value)
    with pytest.raises(NotJSON):
        canonical(value)


@pytest.mark.parametrize("text", [
    '{"a":1,"a":1}', '{"\u00e9":1,"e\u0301":1}', "NaN", "1e999", "9007199254740993", '"\\ud800"', "[1] 2", "", "'a'",
    "[" * 33 + "]" * 33, "\ufeff1", "[1,]", "{'a':1}", "01", "9" * 5000])
def test_a_text_with_two_readings_is_refused(text):
    with pytest.raises(NotJSON):
        parse(text)


def test_equal_numbers_have_one_spelling_and_kinds_differ():
    assert canonical(parse("1.0")) == canonical(1) and canonical(parse("1e2")) == b"100"
    assert len({canonical(each) for each in (1, True, "1", None, [1])}) == 5
    assert json.loads(canonical({"b": [1.5], "a": {}})) == {"a": {}, "b": [1.5]}
