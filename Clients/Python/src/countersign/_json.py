"""Strict JSON: every text has one reading, and every value one spelling (RFC 8785)."""

from __future__ import annotations

import base64
import copy
import hashlib
import json
import math
import unicodedata
from collections.abc import Callable
from decimal import Decimal
from typing import Any, TypeAlias, Union

Json: TypeAlias = Union[None, bool, int, float, str, "list[Json]", "dict[str, Json]"]

DEPTH = 32
# RFC 7493 clause 2.2: larger integers are not exact in every reader.
EXACT = 2**53 - 1


class NotJSON(ValueError):
    """The value has no JSON with one meaning. The text says why."""


class Number:
    """A number as it is spelled."""

    def __init__(self, text: str) -> None:
        self.text = text


def encode_base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode_base64url(text: str) -> bytes:
    """Refuses padding, other characters, and unused bits that are set."""
    try:
        data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError:
        raise NotJSON("not base64url") from None
    if encode_base64url(data) != text:
        raise NotJSON("not canonical base64url")
    return data


def _number(literal: str) -> int | float:
    value = float(literal)
    if not math.isfinite(value):
        raise NotJSON("a number is out of range")
    if set(literal) & set(".eE"):
        return value
    if len(literal) <= 17 and abs(int(literal)) <= EXACT:
        return int(literal)
    if _spelled(value) != literal:
        raise NotJSON("an integer is not exact")
    return value


def parse(data: bytes | str, depth: int = DEPTH, number: Callable[[str], Any] = _number) -> Any:
    """Reads RFC 8259 in UTF-8. Names that are equal after Unicode's normalization count as one name, given twice."""

    def unique(members: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({unicodedata.normalize("NFC", name) for name, _ in members}) != len(members):
            raise NotJSON("a name is given twice")
        return dict(members)

    def refuse(_: str) -> Any:
        raise NotJSON("a number is not finite")

    def check(value: Any, depth: int) -> None:
        if isinstance(value, str):
            value.encode()  # Refuses lone surrogates.
        elif isinstance(value, (dict, list)):
            if depth == 0:
                raise NotJSON("nested too deeply")
            for inner in [*value, *value.values()] if isinstance(value, dict) else value:
                check(inner, depth - 1)

    try:
        text = data.decode() if isinstance(data, bytes) else data
        value = json.loads(
            text, object_pairs_hook=unique, parse_int=number, parse_float=number, parse_constant=refuse)
        check(value, depth)
    except NotJSON:
        raise
    except (ValueError, RecursionError) as error:
        raise NotJSON(f"not JSON: {error}") from None
    return value


def _spelled(value: float) -> str:
    """ECMAScript's Number::toString, with the names of its clause for the digits, their count and the exponent."""
    if value == 0:
        return "0"
    sign, figures, exponent = Decimal(repr(value)).as_tuple()
    assert isinstance(exponent, int)
    n = len(figures) + exponent
    digits = "".join(map(str, figures)).rstrip("0")
    k = len(digits)
    if k <= n <= 21:
        text = digits + "0" * (n - k)
    elif 0 < n <= 21:
        text = f"{digits[:n]}.{digits[n:]}"
    elif -6 < n <= 0:
        text = f"0.{'0' * -n}{digits}"
    else:
        fraction = f".{digits[1:]}" if k > 1 else ""
        text = f"{digits[0]}{fraction}e{'+' if n > 0 else '-'}{abs(n - 1)}"
    return f"-{text}" if sign else text


def canonical(value: Json) -> bytes:
    """The one spelling of a value by RFC 8785."""
    parts: list[str] = []

    def write(value: Json, depth: int) -> None:
        kind = type(value)
        if value is None or kind is bool:
            parts.append("null" if value is None else "true" if value else "false")
        elif kind is str:
            parts.append(json.dumps(value, ensure_ascii=False))
        elif isinstance(value, int):
            if kind is not int or abs(value) > EXACT:
                raise NotJSON("an integer beyond 9007199254740991 is not exact in JSON; write it as text")
            parts.append(str(value))
        elif isinstance(value, float):
            if kind is not float or not math.isfinite(value):
                raise NotJSON("a number is not finite, or of another type")
            parts.append(_spelled(value))
        elif depth == 0:
            raise NotJSON("nested too deeply")
        elif isinstance(value, list):
            parts.append("[")
            for index, inner in enumerate(value):
                parts.append("," if index else "")
                write(inner, depth - 1)
            parts.append("]")
        elif isinstance(value, dict):
            if not all(type(name) is str for name in value):
                raise NotJSON("the name of a member is not text")
            parts.append("{")
            # RFC 8785 clause 3.2.3: by UTF-16 code units.
            for index, name in enumerate(sorted(value, key=lambda name: name.encode("utf-16-be"))):
                parts.append(f"{',' if index else ''}{json.dumps(name, ensure_ascii=False)}:")
                write(value[name], depth - 1)
            parts.append("}")
        else:
            raise NotJSON(f"a value of the type {kind.__name__} is not JSON")

    try:
        write(value, DEPTH)
        return "".join(parts).encode()
    except UnicodeEncodeError:
        raise NotJSON("a text has half of a surrogate pair") from None


def digest(value: Json) -> str:
    return encode_base64url(hashlib.sha256(canonical(value)).digest())


def snapshot(value: Any, encode: Callable[[Any], Any] | None = None, depth: int = DEPTH) -> tuple[Json, Any]:
    """The JSON of a value, and a copy of the value that nobody else holds. Both are of the same moment."""
    kind = type(value)
    if kind is float:
        # JSON has one zero: the person sees 0, and -0.0 becomes it.
        return value + 0.0, value + 0.0
    if value is None or kind in (bool, int, str):
        return value, value
    if depth == 0:
        raise NotJSON("nested too deeply")
    if kind in (list, tuple):
        pairs = [snapshot(inner, encode, depth - 1) for inner in value]
        return [pair[0] for pair in pairs], kind(pair[1] for pair in pairs)
    if kind is dict:
        members = {name: snapshot(inner, encode, depth - 1) for name, inner in list(value.items())}
        if not all(type(name) is str for name in members):
            raise NotJSON("the name of a member is not text")
        return {name: pair[0] for name, pair in members.items()}, {name: pair[1] for name, pair in members.items()}
    if encode is None:
        raise NotJSON(f"a value of the type {kind.__name__} is not JSON")
    own = copy.deepcopy(value)
    return snapshot(encode(own), None, depth - 1)[0], own
