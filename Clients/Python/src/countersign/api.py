"""Checks in an API: the token, the details and the receipt of a call that a person approved."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from . import tokens
from ._http import Flow, Network, Request, Transport, Unreachable, drive, drive_async
from ._json import Json, NotJSON, canonical, parse
from ._settings import checked_issuer
from .receipts import InvalidReceipt, Receipt
from .receipts import verify as verify_receipt


class NotApproved(Exception):
    """The call is refused. `status` and `code` are for the response."""

    def __init__(self, status: int, code: str, text: str) -> None:
        super().__init__(text)
        self.status, self.code = status, code

    @property
    def headers(self) -> dict[str, str]:
        return {"WWW-Authenticate": f'Bearer error="{self.code}"'} if self.status == 401 else {}


@dataclass(frozen=True)
class ApprovedCall:
    """A call that `subject` approved."""

    subject: str
    client_id: str
    claims: Mapping[str, Any] = field(repr=False)
    receipt: Receipt | None = None


class OnceInMemory:
    """Remembers used tokens until they expire, in this process. An API of several processes uses its database."""

    def __init__(self) -> None:
        self._used: dict[str, float] = {}
        self._lock = threading.Lock()

    def __call__(self, token_id: str, expires: float, now: float) -> bool:
        with self._lock:
            if token_id in self._used:
                return False
            if len(self._used) > 10_000:
                self._used = {name: end for name, end in self._used.items() if end + tokens.LEEWAY > now}
            self._used[token_id] = expires
            return True


class Verifier:
    """Verifies approvals of one issuer for one API.

    `once` takes the id of a token, its expiry and the time, and is true for the first use. `needs_receipt` also demands
    a receipt, in the header `Approval-Receipt`.
    """

    def __init__(
        self, issuer: str, audience: str, *, ca: str | os.PathLike[str] | None = None, needs_receipt: bool = False,
        once: Callable[[str, float, float], bool] | None = None, transport: Transport | None = None,
    ) -> None:
        self._issuer, self._audience, self._needs_receipt = checked_issuer(issuer), audience, needs_receipt
        self._transport: Transport = transport or Network(os.fspath(ca) if ca is not None else None)
        self._once = once or OnceInMemory()
        self._jwks: dict[str, Any] = {"keys": []}
        self._fetched = float("-inf")

    def check(self, authorization: str | None, detail: Mapping[str, Json], receipt: str | None = None) -> ApprovedCall:
        """The approval of exactly this detail, by the header `Authorization`. Raises `NotApproved`."""
        return drive(self._check(authorization, detail, receipt), self._transport)

    async def check_async(
        self, authorization: str | None, detail: Mapping[str, Json], receipt: str | None = None,
    ) -> ApprovedCall:
        return await drive_async(self._check(authorization, detail, receipt), self._transport)

    def _check(self, authorization: str | None, detail: Mapping[str, Json], receipt: str | None) -> Flow[ApprovedCall]:
        scheme, _, token = (authorization or "").partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise NotApproved(401, "invalid_token", "the header Authorization has no bearer token")
        yield from self._fetch(tokens.key_id(token))
        now = self._transport.now()
        try:
            claims = tokens.verify(token, self._jwks, self._issuer, self._audience, now)
        except tokens.InvalidToken as error:
            raise NotApproved(401, "invalid_token", str(error)) from None
        wanted = _spelled(dict(detail))
        if wanted is None or wanted not in map(_spelled, claims.get("authorization_details", [])):
            raise NotApproved(403, "not_approved", "the person approved something else than this call")
        proof = self._proof(claims, receipt, wanted) if receipt is not None or self._needs_receipt else None
        if not self._once(claims["jti"], claims["exp"], now):
            raise NotApproved(409, "already_used", "this approval was already used")
        return ApprovedCall(claims["sub"], claims.get("azp", claims.get("client_id", "")), claims, proof)

    def _proof(self, claims: dict[str, Any], text: str | None, wanted: bytes) -> Receipt:
        if text is None:
            raise NotApproved(403, "not_approved", "the receipt is missing")
        try:
            receipt = verify_receipt(text, self._jwks, self._issuer)
        except InvalidReceipt as error:
            raise NotApproved(403, "not_approved", f"the receipt breaks the rule {error.rule}") from None
        approval = claims.get("approval")
        belongs = approval is None or (approval.get("id"), approval.get("digest")) == (receipt.id, receipt.request_digest)
        if not (belongs and receipt.allowed and receipt.subject == claims["sub"] and receipt.audience == self._audience
                and wanted in map(_spelled, receipt.record.get("authorization_details", []))):
            raise NotApproved(403, "not_approved", "the receipt is of another request")
        return receipt

    def _fetch(self, kid: str | None) -> Flow[None]:
        """Fetches the issuer's keys for one that is not known, at most every ten seconds."""
        now = self._transport.now()
        if any(isinstance(key, dict) and key.get("kid") == kid for key in self._jwks["keys"]) or now < self._fetched + 10:
            return
        self._fetched = now
        try:
            answer = yield Request("GET", f"{self._issuer}.well-known/jwks.json", 30)
            body = parse(answer.body)
            if answer.status != 200 or not isinstance(body, dict) or not isinstance(body.get("keys"), list):
                raise NotJSON("no JWK set")
        except (Unreachable, NotJSON) as error:
            self._fetched = float("-inf")
            raise NotApproved(503, "temporarily_unavailable", f"the issuer's keys cannot be fetched: {error}") from error
        self._jwks = body


def _spelled(detail: Any) -> bytes | None:
    try:
        return canonical(detail)
    except NotJSON:
        return None
