"""The client of the authorization server: it asks, waits, verifies the answer, and withdraws."""

from __future__ import annotations

import contextlib
import inspect
import logging
import os
import pathlib
import secrets
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote, urlencode, urlsplit

from . import tokens
from ._http import Answer, Flow, Network, Request, Transport, Unreachable
from ._json import Json, NotJSON, canonical, digest, encode_base64url, parse
from ._jose import sign
from ._settings import Settings, hint, read_settings, subject
from .errors import CannotAsk, Changed, NobodyAnswered, Rejected
from .pending import Pending
from .receipts import InvalidReceipt, Receipt, _date
from .receipts import verify as verify_receipt

if TYPE_CHECKING:
    from .fake import FakeCountersign

CIBA = "urn:openid:params:grant-type:ciba"
LONGEST_PAUSE = 60.0
# Seconds beyond the request's end in which an answer that has arrived may still be verified, and clocks may differ.
GRACE = 60.0
ADVICE = {
    "invalid_authorization_details":
        "compare with the schema of the API's type; as_digest shows a large value by its digest",
    "invalid_target": "create the API, or set COUNTERSIGN_AUDIENCE",
    "unknown_user_id": "set COUNTERSIGN_USER to the id or the verified address of the person",
    "invalid_client": "check COUNTERSIGN_CLIENT_ID and its secret or key",
    "unauthorized_client": f"give the client the grant {CIBA}",
    "invalid_grant": "this approval was already used, or its answer was lost on the way; nothing runs twice, so ask again",
}
# The server has no code of its own for this.
NO_CHANNELS = "No eligible notification channels"
log = logging.getLogger("countersign")


@dataclass(frozen=True)
class Question:
    """Question of one call to one person."""

    detail: Mapping[str, Json]
    message: str
    user: str | None = None
    audience: str | None = None
    expiry: int | None = None

    @property
    def digest(self) -> str:
        return digest({"authorization_details": [dict(self.detail)]})

    @property
    def essence(self) -> tuple[str | None, ...]:
        """All that an approval is for."""
        return self.digest, self.message, self.user, self.audience


@dataclass(frozen=True)
class Approval:
    """A verified yes to one call. It runs that call once."""

    digest: str
    request_id: str
    subject: str
    receipt: Receipt
    access_token: str = field(repr=False)
    claims: Mapping[str, Any] = field(repr=False)
    _essence: tuple[str | None, ...] = field(repr=False)
    _unspent: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def spend(self, question: Question) -> None:
        """Uses the approval up for the question that it answers."""
        if self._essence != question.essence:
            raise Changed("the call is not the one that was approved; nothing runs")
        if not self._unspent.acquire(blocking=False):
            raise Changed("this approval was already used; nothing runs twice")


class Countersign:
    """A client of one server.

    Arguments that are left out come from the environment (`COUNTERSIGN_ISSUER` and so on), or from
    `countersign-data/development.json` in the working folder, which a development server writes.

    `receipts` is a folder for receipts of approvals and rejections, or a function that takes each; nothing runs before its
    approval was kept. `on_asked` gets each request, to show its page or the number that the person has to pick.
    """

    def __init__(
        self, issuer: str | None = None, client_id: str | None = None, *, client_secret: str | None = None,
        client_key: str | os.PathLike[str] | None = None, user: str | None = None, audience: str | None = None,
        ca: str | os.PathLike[str] | None = None, receipts: str | os.PathLike[str] | Callable[[Receipt], None] | None = None,
        on_asked: Callable[[Pending], None] | None = None, hold: int = 30, transport: Transport | None = None,
    ) -> None:
        # Nobody would wait for it: what it does would be left undone, and the call would run.
        if inspect.iscoroutinefunction(receipts) or inspect.iscoroutinefunction(on_asked):
            raise TypeError("receipts and on_asked are plain functions, not async ones")
        self.settings: Settings = read_settings(issuer, client_id, client_secret, client_key, user, audience, ca)
        self.transport: Transport = transport or Network(self.settings.ca)
        self._receipts, self._on_asked, self._hold = receipts, on_asked, hold
        self._jwks: dict[str, Any] = {"keys": []}
        self._fetched = float("-inf")
        self._once = tokens.OnceInMemory()

    @classmethod
    def fake(cls, answer: Any = "allow", **options: Any) -> FakeCountersign:
        """A client without a server, for tests. `answer` is "allow", "reject", "nobody", or a function of the detail."""
        from .fake import FakeCountersign
        return FakeCountersign(answer, **options)

    # MARK: requests. A flow does nothing by itself: a call drives it.

    def _get(self, path: str) -> Request:
        return Request("GET", f"{self.settings.issuer}{path}", 30)

    def _post(
        self, path: str, form: Mapping[str, str], timeout: float = 30, headers: Mapping[str, str] | None = None,
    ) -> Request:
        settings = self.settings
        credentials = {"client_id": settings.client_id}
        if settings.key is None:
            credentials["client_secret"] = settings.secret or ""
        else:
            now = int(self.transport.now())
            credentials["client_assertion_type"] = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
            credentials["client_assertion"] = sign({"typ": "JWT"}, {
                "iss": settings.client_id, "sub": settings.client_id, "aud": settings.issuer, "iat": now, "exp": now + 120,
                "jti": secrets.token_urlsafe(16)}, settings.key)
        fields = {"Content-Type": "application/x-www-form-urlencoded", **(headers or {})}
        body = urlencode({**form, **credentials}).encode()
        return Request("POST", f"{settings.issuer}{path}", timeout, fields, body)

    def start_flow(self, question: Question, key: str) -> Flow[Pending]:
        """Asks. The same key and question are one request, however often they are sent."""
        user = question.user or self.settings.user
        if user is None:
            raise CannotAsk("nobody is named: set COUNTERSIGN_USER to the id or verified address of the person to ask")
        form = {
            "login_hint": hint(user), "binding_message": question.message,
            "audience": question.audience or self.settings.audience, "approval_receipt": "true",
            "authorization_details": canonical([dict(question.detail)]).decode()}
        if question.expiry is not None:
            form["requested_expiry"] = str(question.expiry)
        began = self.transport.now()
        answer = yield from self._repeated(lambda: self._post("bc-authorize", form, headers={"Idempotency-Key": key}))
        body = _body(answer)
        if answer.status != 200:
            raise _refusal(answer, body)
        try:
            pending = Pending(
                self.settings.issuer, body["auth_req_id"], _request_id(body["approval_uri"]), question.digest, key, user,
                began + float(body["expires_in"]), float(body.get("interval", 5)), body["approval_uri"],
                body.get("matching_code"))
        except (KeyError, TypeError, ValueError, AttributeError):
            raise CannotAsk("the server's answer to the start is not understood; is the issuer right?") from None
        if self._on_asked is not None:
            try:
                self._on_asked(pending)
            except BaseException:
                # Nobody will wait for the answer.
                yield from self.cancel_quietly_flow(pending)
                raise
        elif pending.matching_code is not None:
            log.warning("the person has to pick the number %s", pending.matching_code)
        return pending

    def _repeated(self, make: Callable[[], Request]) -> Flow[Answer]:
        """Sends until there is an answer, at most five times within half a minute."""
        for pause in (1.0, 2.0, 4.0, 8.0, None):
            try:
                answer = yield make()
                if answer.status < 500 or pause is None:
                    return answer  # type: ignore[no-any-return]
                pause = max(pause, _retry_after(answer))
            except Unreachable as failure:
                if failure.permanent or pause is None:
                    raise CannotAsk(f"{self.settings.issuer} cannot be reached: {failure}") from failure
            yield min(pause, LONGEST_PAUSE)
        raise AssertionError("the last round returns or raises")

    def poll_flow(self, pending: Pending, question: Question, wait: int = 0) -> Flow[Approval | None]:
        """The approval, or None if there is no answer yet. The server holds the request for `wait` seconds."""
        self._expect(pending, question)
        try:
            answer = yield self._token_request(pending, wait)
        except Unreachable as failure:
            if failure.permanent:
                raise CannotAsk(f"{self.settings.issuer} cannot be reached: {failure}") from failure
            return None
        body = yield from self._outcome(pending, question, answer)
        return None if body is None else (yield from self._verified(pending, question, body))

    def wait_flow(self, pending: Pending, question: Question) -> Flow[Approval]:
        """Waits for the answer. Survives failures of the network and restarts of the server until the request's end."""
        self._expect(pending, question)
        now, end = self.transport.now, pending.expires_at + GRACE
        interval, failures, failure = pending.interval, 0, ""
        while True:
            began = now()
            try:
                answer = yield self._token_request(pending, max(1, min(self._hold, int(end - began))))
                body = yield from self._outcome(pending, question, answer)
                if body is not None:
                    return (yield from self._verified(pending, question, body))
                failures = failures + 1 if answer.status >= 500 else 0
                failure = f"it answers {answer.status}" if failures else ""
                pause = max(_retry_after(answer), began + interval - now())
                if (refusal := _body(answer)).get("error") == "slow_down":
                    # RFC 8628 clause 3.5: for this and all later polls.
                    wanted = refusal.get("interval")
                    interval = float(wanted) if isinstance(wanted, (int, float)) else interval + 5
                    pause = interval
            except Unreachable as error:
                if error.permanent:
                    raise CannotAsk(f"{self.settings.issuer} cannot be reached: {error}") from error
                failures, failure, pause = failures + 1, str(error), 0.0
            if failures:
                pause = max(pause, min(2.0 ** min(failures - 1, 6), LONGEST_PAUSE))
            if now() + pause > end:
                if failure:
                    raise CannotAsk(f"{self.settings.issuer} could not be reached until the request's end: {failure}")
                raise NobodyAnswered
            if pause > 0:
                yield pause

    def cancel_flow(self, pending: Pending) -> Flow[None]:
        """Withdraws the request, if nobody has answered it."""
        yield self._post(
            "oauth/revoke", {"token": pending.auth_req_id, "token_type_hint": "auth_req_id"}, timeout=5)

    def cancel_quietly_flow(self, pending: Pending) -> Flow[None]:
        with contextlib.suppress(Unreachable):
            yield from self.cancel_flow(pending)

    # MARK: answers

    def _expect(self, pending: Pending, question: Question) -> None:
        if pending.issuer != self.settings.issuer:
            raise CannotAsk(f"the pending request is one of {pending.issuer}, not of {self.settings.issuer}")
        if pending.digest != question.digest:
            raise Changed("the pending request is for other arguments than those of this call")
        if pending.user != (question.user or self.settings.user or pending.user):
            raise Changed("the pending request is one to another person")

    def _token_request(self, pending: Pending, wait: int) -> Request:
        headers = {"Prefer": f"wait={wait}"} if wait > 0 else {}
        form = {"grant_type": CIBA, "auth_req_id": pending.auth_req_id}
        return self._post("oauth/token", form, wait + 30, headers)

    def _outcome(self, pending: Pending, question: Question, answer: Answer) -> Flow[dict[str, Any] | None]:
        """The token response, or None if the same may be asked again."""
        if answer.status >= 500 or answer.status == 429:
            return None
        body = _body(answer)
        if answer.status == 200:
            return body
        if body.get("error") in ("authorization_pending", "slow_down", "temporarily_unavailable"):
            return None
        if body.get("error") == "access_denied":
            yield from self._keep_rejection(pending, question)
            reason = body.get("reason")
            raise Rejected(reason if isinstance(reason, str) else None)
        if body.get("error") == "expired_token":
            raise NobodyAnswered
        raise _refusal(answer, body)

    def _keys(self, kid: str | None) -> Flow[dict[str, Any]]:
        """The issuer's JWK set, fetched again if it is old, and for a key that it did not have."""
        known, now = self._jwks, self.transport.now()
        if now < self._fetched + tokens.AGE_OF_KEYS and tokens.has_key(known, kid):
            return known
        answer = yield from self._repeated(lambda: self._get(".well-known/jwks.json"))
        body = _body(answer)
        if answer.status != 200 or not isinstance(body.get("keys"), list):
            raise CannotAsk("the server does not publish its keys; is the issuer right?", "keys")
        self._jwks, self._fetched = body, now
        return body

    def _verified(self, pending: Pending, question: Question, body: dict[str, Any]) -> Flow[Approval]:
        """The approval, if everything in the answer is for exactly this question."""
        issuer, client_id = self.settings.issuer, self.settings.client_id
        audience = question.audience or self.settings.audience
        token, text = body.get("access_token"), body.get("approval_receipt")
        if not isinstance(token, str) or not isinstance(text, str):
            raise Changed("the answer has no token or no receipt")
        jwks = yield from self._keys(tokens.key_id(token))
        jwks = yield from self._keys(tokens.key_id(text))
        try:
            claims = tokens.verify(token, jwks, issuer, audience, self.transport.now())
            receipt = verify_receipt(text, jwks, issuer)
        except (tokens.InvalidToken, InvalidReceipt) as error:
            raise Changed(f"the answer is not valid: {error}") from error
        approval, record = claims.get("approval"), receipt.record
        for matches, part in (
            (tokens.details_digest(claims.get("authorization_details")) == question.digest, "token's details"),
            (tokens.details_digest(body.get("authorization_details")) == question.digest, "response's details"),
            (tokens.details_digest(record.get("authorization_details")) == question.digest, "receipt's details"),
            (claims.get("azp", claims.get("client_id")) == client_id == receipt.client_id, "client"),
            (claims["sub"] == receipt.subject and self._person(question) in (None, receipt.subject), "person"),
            (receipt.allowed, "decision"),
            (receipt.audience == audience, "audience"),
            (record.get("binding_message") == question.message, "message"),
            (pending.request_id == receipt.id, "request"),
            (approval is None or (approval.get("id"), approval.get("digest")) == (receipt.id, receipt.request_digest),
             "token's approval"),
            # Both by the server's clock: a token of an earlier approval of the same call.
            (claims["iat"] >= _date(record["created_at"]) // 1000, "token's time"),
        ):
            if not matches:
                raise Changed(f"the answer is for something else than this call: its {part} differs; nothing runs")
        if not self._once(receipt.id, claims["exp"], self.transport.now()):
            raise Changed("this approval was already used; nothing runs twice")
        self._keep(receipt, jwks)
        return Approval(question.digest, receipt.id, receipt.subject, receipt, token, claims, question.essence)

    def _person(self, question: Question) -> str | None:
        """The subject that has to answer, if the question names the person by it."""
        return subject(question.user or self.settings.user)

    def _keep_rejection(self, pending: Pending, question: Question) -> Flow[None]:
        """Keeps the receipt of a rejection, if receipts are kept. A withdrawn request has none."""
        if self._receipts is None:
            return
        try:
            answer = yield self._post(f"approvals/{quote(pending.request_id, safe='')}/receipt", {}, timeout=10)
            if answer.status == 200:
                text = answer.body.decode()
                jwks = yield from self._keys(tokens.key_id(text))
                receipt = verify_receipt(text, jwks, self.settings.issuer)
                shown = tokens.details_digest(receipt.record.get("authorization_details"))
                if receipt.allowed or receipt.id != pending.request_id or shown != question.digest:
                    raise InvalidReceipt("it is of another decision")
                self._keep(receipt, jwks)
            elif answer.status != 404:
                raise _refusal(answer, _body(answer))
        except Exception as error:
            # The rejection counts, whether or not it is proved.
            log.warning("the receipt of the rejected request %s was not kept: %s", pending.request_id, error)

    def _keep(self, receipt: Receipt, jwks: dict[str, Any]) -> None:
        if callable(self._receipts):
            self._receipts(receipt)
        elif self._receipts is not None:
            folder = pathlib.Path(self._receipts)
            folder.mkdir(parents=True, exist_ok=True)
            # Keys rotate; a receipt convinces with those of its time.
            for ending, content in (("jwks.json", canonical(jwks)), ("jwt", receipt.text.encode())):
                file = folder / f"{quote(receipt.id, safe='')}.{ending}"
                part = f"{file}.part"
                opened = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
                with os.fdopen(opened, "wb") as output:
                    output.write(content)
                    output.flush()
                    os.fsync(opened)
                os.replace(part, file)


def request_key(call_id: str, question: Question) -> str:
    """The `Idempotency-Key` of a call: other arguments, or another person, are another request."""
    return digest([call_id, *question.essence])


def random_call_id() -> str:
    return encode_base64url(secrets.token_bytes(16))


def _body(answer: Answer) -> dict[str, Any]:
    try:
        value = parse(answer.body)
    except NotJSON:
        return {}
    return value if isinstance(value, dict) else {}


def _retry_after(answer: Answer) -> float:
    text = answer.headers.get("retry-after", "")
    return float(text) if text.isdecimal() and len(text) < 6 else 0.0


def _request_id(uri: str) -> str:
    return parse_qs(urlsplit(uri).query)["id"][0]


def _refusal(answer: Answer, body: Mapping[str, Any]) -> CannotAsk:
    code = body.get("error") if isinstance(body.get("error"), str) else None
    text = f"{body.get('error_description') or code or f'the server answers {answer.status}'}"
    advice = ADVICE.get(code or "")
    if NO_CHANNELS in text:
        advice = "the person has to enrol a phone first"
    if answer.status == 429:
        advice = f"wait {int(_retry_after(answer))} seconds"
    return CannotAsk(f"{text}: {advice}" if advice else text, code)
