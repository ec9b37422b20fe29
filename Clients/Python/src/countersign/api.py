"""Checks in an API: the token, the details and the receipt of a call that a person approved."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from . import tokens
from ._http import Flow, Network, Request, Transport, Unreachable, drive, drive_async
from ._json import Json, NotJSON, canonical, parse
from ._settings import AGENT_TOOLS, checked_issuer
from .receipts import InvalidReceipt, Receipt
from .receipts import verify as verify_receipt
from .tokens import OnceInMemory


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
        if not self._covers(claims.get("authorization_details", []), detail):
            raise NotApproved(403, "not_approved", "the person approved something else than this call")
        proof = self._proof(claims, receipt, detail) if receipt is not None or self._needs_receipt else None
        if not self._once(claims["jti"], claims["exp"], now):
            raise NotApproved(409, "already_used", "this approval was already used")
        return ApprovedCall(claims["sub"], claims.get("azp", claims.get("client_id", "")), claims, proof)

    def _proof(self, claims: dict[str, Any], text: str | None, detail: Mapping[str, Json]) -> Receipt:
        if text is None:
            raise NotApproved(403, "not_approved", "the receipt is missing")
        try:
            receipt = verify_receipt(text, self._jwks, self._issuer)
        except InvalidReceipt as error:
            raise NotApproved(403, "not_approved", f"the receipt breaks the rule {error.rule}") from None
        approval = claims.get("approval")
        belongs = approval is None or (approval.get("id"), approval.get("digest")) == (receipt.id, receipt.request_digest)
        if not (belongs and receipt.allowed and receipt.subject == claims["sub"] and receipt.audience == self._audience
                and self._covers(receipt.record.get("authorization_details", []), detail)):
            raise NotApproved(403, "not_approved", "the receipt is of another request")
        return receipt

    def _covers(self, details: list[Any], detail: Mapping[str, Json]) -> bool:
        """True if the detail is one of the approved ones. The agent's own words count if the API expects some."""
        wanted, spelled = _spelled(dict(detail)), map(_spelled, details)
        if self._audience == AGENT_TOOLS and "says" not in detail:
            spelled = map(_spelled, map(_without_words, details))
        return wanted is not None and wanted in spelled

    def _fetch(self, kid: str | None) -> Flow[None]:
        """Fetches the issuer's keys if they are old, and for a key that is not known, at most every ten seconds."""
        now = self._transport.now()
        if now < self._fetched + (tokens.AGE_OF_KEYS if tokens.has_key(self._jwks, kid) else 10):
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


def _without_words(detail: Any) -> Any:
    return {name: value for name, value in detail.items() if name != "says"} if isinstance(detail, dict) else detail


def _spelled(detail: Any) -> bytes | None:
    try:
        return canonical(detail)
    except NotJSON:
        return None
