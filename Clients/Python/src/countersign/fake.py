"""A client without a server, for tests. The answers are signed and verified as real ones are."""

from __future__ import annotations

import datetime
import hashlib
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from cryptography.hazmat.primitives.asymmetric import ec

from ._http import Answer, Request
from ._jose import sign, write_key
from ._json import Json, canonical, encode_base64url, parse
from .client import Countersign

ISSUER = "https://countersign.invalid/"
# "allow", "reject", ("reject", "the reason"), "nobody", or None for a person who has not answered yet.
Decision = str | tuple[str, str] | None
Chooser = Callable[[Mapping[str, Json]], Decision]


@dataclass
class Asked:
    """A request at the fake server."""

    id: str
    auth_req_id: str
    user: str
    detail: dict[str, Any]
    message: str
    audience: str
    created: float
    expires: float
    answer: Chooser
    rejection: str | tuple[str, str] | None = None
    is_redeemed: bool = False
    is_withdrawn: bool = False


class FakeServer:
    """A transport that is a server, and a phone that answers. Its clock goes on only while a client waits."""

    def __init__(self, answer: Decision | Sequence[Decision] | Chooser, client_id: str) -> None:
        self.client_id = client_id
        self.requests: list[Asked] = []
        self._repeated: dict[str, tuple[Asked, dict[str, str]]] = {}
        self._key, self._phone = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
        self._clock = time.time()
        self.answer(answer)

    def answer(self, answer: Decision | Sequence[Decision] | Chooser) -> None:
        """Sets the answer to all requests that have none yet. A list answers one request after the other."""
        self._answers = answer
        self._rest = iter(answer if isinstance(answer, list) else ())
        for request in self.requests:
            request.answer = self._chooser()

    def _chooser(self) -> Chooser:
        if callable(self._answers):
            return self._answers
        decision: Any = next(self._rest, "nobody") if isinstance(self._answers, list) else self._answers
        return lambda _: decision

    # MARK: the transport

    def send(self, request: Request) -> Answer:
        form = dict(parse_qsl(request.body.decode(), keep_blank_values=True))
        path = urlsplit(request.url).path
        if path == "/bc-authorize":
            status, body = self.start(form, request.headers)
        elif path == "/oauth/token":
            status, body = self.redeem(form)
        elif path == "/oauth/revoke":
            status, body = self.withdraw(form)
        elif path.startswith("/approvals/"):
            return self.rejection(path.split("/")[2])
        else:
            status, body = 200, {"keys": [write_key(self._key.public_key(), "fake")]}
        return Answer(status, {}, canonical(body))

    async def send_async(self, request: Request) -> Answer:
        return self.send(request)

    def sleep(self, seconds: float) -> None:
        self._clock += seconds

    async def sleep_async(self, seconds: float) -> None:
        self._clock += seconds

    def now(self) -> float:
        return self._clock

    # MARK: the endpoints

    def start(self, form: dict[str, str], headers: Mapping[str, str]) -> tuple[int, dict[str, Any]]:
        key = headers.get("Idempotency-Key", secrets.token_hex())
        known = self._repeated.get(key)
        if known is not None and known[0].expires > self._clock:
            if known[1] != form:
                return 400, {"error": "invalid_request", "error_description": "the key is of another request"}
            asked = known[0]
        else:
            asked = Asked(
                f"cns_{secrets.token_urlsafe(12)}", secrets.token_urlsafe(24),
                parse(form["login_hint"]).get("id", "auth0|person"), parse(form["authorization_details"])[0],
                form["binding_message"], form["audience"], self._clock,
                self._clock + int(form.get("requested_expiry", "300")), self._chooser())
            self.requests.append(asked)
            self._repeated[key] = asked, form
        return 200, {
            "auth_req_id": asked.auth_req_id, "expires_in": int(asked.expires - self._clock), "interval": 5,
            "approval_uri": f"{ISSUER}u/approve?id={asked.id}"}

    def redeem(self, form: dict[str, str]) -> tuple[int, dict[str, Any]]:
        asked = next((one for one in self.requests if one.auth_req_id == form.get("auth_req_id")), None)
        if asked is None or asked.is_redeemed:
            return 400, {"error": "invalid_grant", "error_description": "Invalid or expired auth_req_id"}
        decision = "reject" if asked.is_withdrawn else asked.answer(asked.detail)
        if self._clock >= asked.expires or decision == "nobody":
            return 400, {"error": "expired_token"}
        if decision is None:
            self._clock += 30  # A server that held the request.
            return 400, {"error": "authorization_pending"}
        if decision != "allow":
            reason = {"reason": decision[1]} if isinstance(decision, tuple) else {}
            asked.rejection = None if asked.is_withdrawn else decision
            return 400, {"error": "access_denied", **reason}
        asked.is_redeemed = True
        return 200, self.tokens(asked)

    def withdraw(self, form: dict[str, str]) -> tuple[int, dict[str, Any]]:
        for asked in self.requests:
            asked.is_withdrawn |= asked.auth_req_id == form.get("token")
        return 200, {}

    def rejection(self, id: str) -> Answer:
        """The receipt of a rejected request."""
        asked = next((one for one in self.requests if one.id == id and one.rejection is not None), None)
        if asked is None:
            return Answer(404, {}, canonical({"error": "not_found"}))
        return Answer(200, {}, self.signed_receipt(self.receipt(asked)).encode())

    # MARK: proofs

    def tokens(self, asked: Asked) -> dict[str, Any]:
        receipt = self.receipt(asked)
        return {
            "access_token": self.token(asked, receipt["request_digest"]), "token_type": "Bearer", "expires_in": 3600,
            "authorization_details": [asked.detail], "approval_receipt": self.signed_receipt(receipt)}

    def token_claims(self, asked: Asked, digest: str) -> dict[str, Any]:
        now = int(self._clock)
        return {
            "iss": ISSUER, "sub": asked.user, "aud": asked.audience, "iat": now, "exp": now + 3600,
            "jti": secrets.token_urlsafe(16), "azp": self.client_id, "authorization_details": [asked.detail],
            "approval": {"id": asked.id, "digest": digest}}

    def token(self, asked: Asked, digest: str) -> str:
        return sign({"typ": "JWT", "kid": "fake"}, self.token_claims(asked, digest), self._key)

    def signed_receipt(self, claims: dict[str, Any]) -> str:
        return sign({"typ": "approval-receipt+jwt", "kid": "fake"}, claims, self._key)

    def record(self, asked: Asked) -> dict[str, Any]:
        return {
            "id": asked.id, "iss": ISSUER, "tenant": "fake", "client_id": self.client_id, "client_name": "Fake",
            "sub": asked.user, "audience": asked.audience, "audience_name": "Fake", "scope": [],
            "binding_message": asked.message, "authorization_details": [asked.detail],
            "created_at": _text(asked.created), "expires_at": _text(asked.expires), "salt": secrets.token_urlsafe(12)}

    def receipt(self, asked: Asked) -> dict[str, Any]:
        now = int(self._clock)
        record = canonical(self.record(asked)).decode()
        digest = encode_base64url(hashlib.sha256(record.encode()).digest())
        words = asked.rejection[1][:256] if isinstance(asked.rejection, tuple) else ""
        answer = sign({"typ": "JWT"}, {
            "iss": "phone", "sub": "challenge", "aud": ISSUER, "iat": now, "exp": now + 30,
            "auth0_guardian_method": "push", "auth0_guardian_accepted": asked.rejection is None,
            "auth0_guardian_reason": words, "request_digest": digest}, self._phone)
        place = f"1:{'0' * 64}"
        return {
            "iss": ISSUER, "sub": asked.user, "aud": self.client_id, "id": asked.id, "iat": now + 1,
            "record": record, "request_digest": digest, "decision": "rejected" if asked.rejection else "allowed",
            **({"reason": words} if words.strip() else {}), "decided_at": _text(self._clock),
            "evidence": "signed-digest", "answer": answer, "audit": {"entry": place, "head": place},
            "device": {"id": "dev_fake", "name": "Fake", "identifier": "phone",
                       "jwk": write_key(self._phone.public_key(), "phone"), "enrolled_at": _text(0)}}


class FakeCountersign(Countersign):
    """`asked` has the details of all requests, and `server` the rest."""

    def __init__(
        self, answer: Decision | Sequence[Decision] | Chooser = "allow", *, server: FakeServer | None = None, **options: Any,
    ) -> None:
        self.server = server or FakeServer(answer, "fake-client")
        given = {"issuer": ISSUER, "client_id": "fake-client", "client_secret": "fake", "user": "auth0|person"}
        super().__init__(**{**given, **options, "transport": self.server})

    def answer(self, answer: Decision | Sequence[Decision] | Chooser) -> None:
        self.server.answer(answer)

    @property
    def asked(self) -> list[dict[str, Any]]:
        return [request.detail for request in self.server.requests]


def _text(seconds: float) -> str:
    moment = datetime.datetime.fromtimestamp(int(seconds * 1000) / 1000, datetime.timezone.utc)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{int(seconds * 1000) % 1000:03d}Z"
