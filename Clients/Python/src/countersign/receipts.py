"""Receipts of approvals, verified by the rules of docs/receipts.md. Each rule has its name there."""

from __future__ import annotations

import datetime
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

from ._jose import FAULTS, ISSUERS, is_signed, keys_for, read_key, split
from ._json import NotJSON, Number, decode_base64url, parse

DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):(\d\d):(\d\d)\.(\d{3})Z", re.ASCII)
PLACE = re.compile(r"(?:([1-9][0-9]{0,18})\.)?([1-9][0-9]{0,18}):([0-9a-f]{64})")
TWO_DIGITS = re.compile(r"[0-9]{2}")
SECONDS = re.compile(r"0|[1-9][0-9]{0,11}")
# The property White_Space of Unicode.
WHITE_SPACE = frozenset("\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000") | {
    chr(code) for code in range(0x2000, 0x200B)}
LEVELS = ("session", "signed-challenge", "signed-digest", "user-verified")
# Rule 20: clocks of phones and servers differ.
LEEWAY = 60_000


class InvalidReceipt(Exception):
    """Names the broken rule."""

    def __init__(self, rule: str) -> None:
        super().__init__(rule)
        self.rule = rule


@dataclass(frozen=True)
class Receipt:
    """A valid receipt. `record` is what the person saw, and `reason` their own words, which are untrusted."""

    text: str = field(repr=False)
    id: str
    issuer: str
    subject: str
    client_id: str
    audience: str
    allowed: bool
    evidence: str
    decided_at: str
    request_digest: str
    record: Mapping[str, Any] = field(repr=False)
    reason: str | None = None


def _require(condition: object, rule: str) -> None:
    if not condition:
        raise InvalidReceipt(rule)


def _sure(condition: object) -> None:
    if not condition:
        raise NotJSON("a member is malformed")


def _parse(data: bytes | str) -> dict[str, Any]:
    value = parse(data, number=Number)
    _sure(isinstance(value, dict))
    return value  # type: ignore[no-any-return]


def _has(value: Any, names: str, kind: type = str, optional: bool = False) -> Any:
    """The last of the members, if each has that type."""
    for name in names.split():
        _sure(optional and name not in value or isinstance(value[name], kind))
    return value.get(name)


def _date(text: str) -> int:
    """Milliseconds since 1970."""
    found = DATE.fullmatch(text)
    if found is None:
        raise NotJSON("not a date")
    *parts, milliseconds = map(int, found.groups())
    moment = datetime.datetime(*parts, tzinfo=datetime.timezone.utc)  # type: ignore[arg-type, misc]
    return int(moment.timestamp()) * 1000 + milliseconds


def _numeric_date(value: Any) -> int:
    seconds = float(value.text)
    _sure(abs(seconds) < 1e12)
    return int(seconds * 1000)


def _read_record(text: str) -> dict[str, Any]:
    record = _parse(text)
    _has(record, "id iss tenant client_id client_name sub audience audience_name binding_message created_at expires_at")
    for scope in _has(record, "scope", list):
        _has(scope, "value"), _has(scope, "description", optional=True)
    _sure(all(isinstance(one, dict) for one in _has(record, "authorization_details", list, optional=True) or []))
    _has(record, "client_logo language", optional=True)
    _has(record, "client_is_first_party", bool, optional=True)
    if "matching_choices" in record:
        choices = _has(record, "matching_choices", list)
        _sure(len(choices) == len(set(choices)) == 3 and all(TWO_DIGITS.fullmatch(one) for one in choices))
    _sure("matching" not in record or record["matching"] == "type" and "matching_choices" not in record)
    if "login" in record:
        login = _has(record, "login", dict)
        _has(login, "application"), _has(login, "browser system address", optional=True), _date(_has(login, "at"))
        if "place" in login:
            _has(_has(login, "place", dict), "en de fr")
    return record


def _read(payload: bytes) -> tuple[dict[str, Any], dict[str, Any], int, int, int]:
    """The claims, the record, and the dates of decision, beginning and end, if each member has its type."""
    claims = _parse(payload)
    _has(claims, "iss sub aud id decision evidence decided_at request_digest record")
    record = _read_record(claims["record"])
    issued = _has(claims, "iat", Number).text
    _sure(SECONDS.fullmatch(issued) and int(issued) < 253_402_300_800)
    _sure(claims["decision"] in ("allowed", "rejected") and claims["evidence"] in LEVELS)
    _sure(len(decode_base64url(claims["request_digest"])) == 32 and ("device" in claims) == ("answer" in claims))
    _has(_has(claims, "audit", dict), "entry head"), _has(claims, "reason answer", optional=True)
    if "device" in claims:
        device = _has(claims, "device", dict)
        _has(device, "id name identifier enrolled_at")
        read_key(_has(device, "jwk", dict)), _date(device["enrolled_at"])
    if "session" in claims:
        session = _has(claims, "session", dict)
        _has(session, "sid_sha256 auth_time"), _has(session, "acr", optional=True)
        _sure(all(isinstance(one, str) for one in _has(session, "amr", list)) and _date(session["auth_time"]) >= 0)
    if "passkey" in claims:
        passkey = _has(claims, "passkey", dict)
        _has(passkey, "rp_id credential_id client_data_json authenticator_data signature")
        for name in ("credential_id", "client_data_json", "authenticator_data", "signature"):
            decode_base64url(passkey[name])
        read_key(_has(passkey, "jwk", dict))
    decided, created, expires = map(_date, (claims["decided_at"], record["created_at"], record["expires_at"]))
    _sure(min(decided, created, expires) >= 0)
    return claims, record, decided, created, expires


def _verify_answer(claims: dict[str, Any], record: dict[str, Any], decided: int) -> None:
    device = claims["device"]
    try:
        header, payload, signature, signed = split(claims["answer"], 16_384)
        key, algorithms = read_key(device["jwk"])
        _sure(header["alg"] in ("RS256", "ES256") and header["alg"] in algorithms and "crit" not in header)
    except FAULTS:
        raise InvalidReceipt("answer") from None
    _require(is_signed(key, header["alg"], signature, signed), "answer-signature")
    try:
        _sure(header["typ"].lower() == "jwt")
        # Devices may write null for a member that they leave out.
        answer = {name: value for name, value in _parse(payload).items() if value is not None}
        _has(answer, "iss sub aud auth0_guardian_method")
        _has(answer, "request_digest auth0_guardian_reason matching_pick", optional=True)
        _sure(answer["iss"] and answer["sub"] and answer["aud"] and answer["auth0_guardian_method"] == "push")
        begin, end = _numeric_date(answer["iat"]), _numeric_date(answer["exp"])
        accepted = _has(answer, "auth0_guardian_accepted", bool)
        _sure(not (_has(answer, "reported", bool, optional=True) and accepted))
        pick = answer.get("matching_pick")
        _sure(pick is None or TWO_DIGITS.fullmatch(pick))
    except FAULTS:
        raise InvalidReceipt("answer") from None
    reason = answer.get("auth0_guardian_reason", "")[:256]
    _require(answer["iss"] == device["identifier"], "answer-device")
    wrong_pick = accepted and pick is not None and ("matching_choices" in record or "matching" in record)
    _require(accepted == (claims["decision"] == "allowed") or wrong_pick, "answer-decision")
    _require(claims.get("reason") == (None if accepted or set(reason) <= WHITE_SPACE else reason), "answer-reason")
    _require(begin - LEEWAY <= decided < end + LEEWAY, "answer-time")
    if claims["evidence"] in ("user-verified", "signed-digest"):
        _require(answer.get("request_digest") == claims["request_digest"], "answer-digest")
    else:
        _require("request_digest" not in answer, "level")


def _is_asserted(jwk: Any, signature: bytes, signed: bytes) -> bool:
    key, algorithms = read_key(jwk)
    if isinstance(key, ec.EllipticCurvePublicKey):
        # WebAuthn's signatures on P-256 are in DER.
        try:
            if "ES256" not in algorithms:
                return False
            key.verify(signature, signed, ec.ECDSA(hashes.SHA256()))
        except InvalidSignature:
            return False
        return True
    return "RS256" in algorithms and is_signed(key, "RS256", signature, signed)


def _verify_passkey(claims: dict[str, Any]) -> None:
    passkey = claims["passkey"]
    client_data, data = (decode_base64url(passkey[name]) for name in ("client_data_json", "authenticator_data"))
    try:
        client = _parse(client_data)
        _has(client, "type challenge origin"), _has(client, "crossOrigin", bool, optional=True)
        _sure(client["type"] == "webauthn.get" and not client.get("crossOrigin") and len(data) >= 37)
        challenge = decode_base64url(client["challenge"])
    except FAULTS:
        raise InvalidReceipt("passkey") from None
    signed = data + hashlib.sha256(client_data).digest()
    _require(_is_asserted(passkey["jwk"], decode_base64url(passkey["signature"]), signed), "passkey-signature")
    _require(challenge == decode_base64url(claims["request_digest"]), "passkey-challenge")
    host = passkey["rp_id"]
    _require(data[:32] == hashlib.sha256(host.encode()).digest(), "passkey-origin")
    _require(re.fullmatch(f"https://{re.escape(host)}(:[0-9]+)?", client["origin"]), "passkey-origin")
    _require(data[32] & 0b101 == 0b101, "passkey-user")


def verify(receipt: str, jwks: Any, issuer: str | None = None) -> Receipt:
    """The receipt, if it is valid. `jwks` is the issuer's JWK set as a dictionary.

    Raises `InvalidReceipt`.
    """
    try:
        header, payload, signature, signed = split(receipt, 1 << 20)
    except FAULTS:
        raise InvalidReceipt("form") from None
    _require(header["alg"] in ISSUERS, "algorithm")
    _require("crit" not in header, "critical")
    _require(header.get("typ") == "approval-receipt+jwt", "type")
    key = next(keys_for(jwks, header), None)
    if key is None:
        raise InvalidReceipt("key")
    _require(is_signed(key, header["alg"], signature, signed), "signature")
    try:
        claims, record, decided, created, expires = _read(payload)
    except FAULTS:
        raise InvalidReceipt("payload") from None
    for name, source in (("iss", "iss"), ("sub", "sub"), ("aud", "client_id"), ("id", "id")):
        _require(claims[name] == record[source], "agreement")
    _require(issuer in (None, claims["iss"]), "issuer")
    digest = hashlib.sha256(claims["record"].encode()).digest()
    _require(decode_base64url(claims["request_digest"]) == digest, "digest")
    _require(created <= decided < expires, "decision-time")
    _require(int(claims["iat"].text) >= decided // 1000, "issue-time")
    _require(claims["decision"] == "rejected" or "reason" not in claims, "reason")
    _require((claims["evidence"] == "session") == ("answer" not in claims) == ("session" in claims), "level")
    if "answer" in claims:
        _verify_answer(claims, record, decided)
    _require((claims["evidence"] == "user-verified") == ("passkey" in claims), "level")
    if "passkey" in claims:
        _verify_passkey(claims)
    entry, head = (PLACE.fullmatch(claims["audit"][name]) for name in ("entry", "head"))
    if entry is None or head is None:
        raise InvalidReceipt("audit")
    _require(entry[1] == head[1] and int(entry[1] or 0) < 2**63, "audit")
    _require(int(entry[2]) <= int(head[2]) < 2**63, "audit")
    _require(entry[2] != head[2] or entry[3] == head[3], "audit")
    # The record again, with values for its numbers.
    return Receipt(
        receipt, claims["id"], claims["iss"], claims["sub"], claims["aud"], record["audience"],
        claims["decision"] == "allowed", claims["evidence"], claims["decided_at"], claims["request_digest"],
        parse(claims["record"], number=_value), claims.get("reason"))


def _value(literal: str) -> Any:
    """A number's value, or for one without an exact value its spelling, which equals no number."""
    try:
        return parse(literal)
    except NotJSON:
        return Number(literal)
