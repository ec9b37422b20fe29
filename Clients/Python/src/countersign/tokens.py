"""Access tokens, verified by the issuer's published keys."""

from __future__ import annotations

import threading
from typing import Any

from ._jose import FAULTS, ISSUERS, is_signed, keys_for, split
from ._json import NotJSON, digest, parse

LEEWAY = 60
# Seconds after which keys are fetched again: a key that the issuer has withdrawn does not count for longer.
AGE_OF_KEYS = 600
TYPES = ("jwt", "at+jwt", "application/at+jwt")


class InvalidToken(Exception):
    """The token is not one of this issuer for this API, or no longer in force."""


class OnceInMemory:
    """Remembers used tokens until they expire, in this process. An API of several processes uses its database."""

    def __init__(self) -> None:
        self._used: dict[str, float] = {}
        self._full = 1000
        self._lock = threading.Lock()

    def __call__(self, token_id: str, expires: float, now: float) -> bool:
        with self._lock:
            if token_id in self._used:
                return False
            if len(self._used) >= self._full:
                self._used = {name: end for name, end in self._used.items() if end + LEEWAY > now}
                self._full = max(1000, 2 * len(self._used))
            self._used[token_id] = expires
            return True


def key_id(token: str) -> str | None:
    try:
        return split(token, 1 << 20)[0].get("kid")
    except FAULTS:
        return None


def has_key(jwks: Any, kid: str | None) -> bool:
    return any(isinstance(key, dict) and key.get("kid") == kid for key in jwks["keys"])


def verify(token: str, jwks: Any, issuer: str, audience: str, now: float) -> dict[str, Any]:
    """Claims of the token."""
    try:
        header, payload, signature, signed = split(token, 1 << 18)
        if header["alg"] not in ISSUERS or "crit" in header or header.get("typ", "jwt").lower() not in TYPES:
            raise InvalidToken("the token is of another kind")
        key = next(keys_for(jwks, header), None)
        if key is None or not is_signed(key, header["alg"], signature, signed):
            raise InvalidToken("the token is not signed by the issuer")
        claims = parse(payload)
        audiences = claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
        if claims["iss"] != issuer or audience not in audiences:
            raise InvalidToken("the token is of another issuer or for another audience")
        if not (claims["iat"] - LEEWAY <= now < claims["exp"] + LEEWAY):
            raise InvalidToken("the token is not in force by the clock of this machine")
        if not (isinstance(claims["sub"], str) and isinstance(claims["jti"], str)):
            raise InvalidToken("the token names nobody")
        if not isinstance(claims.get("authorization_details", []), list):
            raise InvalidToken("the token's details are no list")
        if not isinstance(claims.get("approval", {}), dict):
            raise InvalidToken("the token's approval is no object")
    except FAULTS as error:
        raise InvalidToken(f"the token is malformed: {error}") from None
    return claims  # type: ignore[no-any-return]


def details_digest(details: Any) -> str | None:
    """The digest of a call with these details, or None if they are none."""
    try:
        return digest({"authorization_details": details})
    except NotJSON:
        return None
