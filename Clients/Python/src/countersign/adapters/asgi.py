"""ASGI, so also Starlette and FastAPI: `approval = await approved_call(verifier, request.scope, detail)`.

The refusal is an exception; `app = Refusals(app)` makes the response of it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

from .._json import Json, canonical
from ..api import ApprovedCall, NotApproved, Verifier

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


async def approved_call(verifier: Verifier, scope: Scope, detail: Mapping[str, Json]) -> ApprovedCall:
    """The approval of exactly this detail. Raises `NotApproved`."""
    return await verifier.check_async(_header(scope, b"authorization"), detail, _header(scope, b"approval-receipt"))


def _header(scope: Scope, name: bytes) -> str | None:
    values = [value for each, value in scope["headers"] if each.lower() == name]
    return values[0].decode("latin-1") if len(values) == 1 else None


class Refusals:
    """Answers for an app that refuses a call."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._app(scope, receive, send)
        except NotApproved as refused:
            body = canonical({"error": refused.code, "error_description": str(refused)})
            headers = {"Content-Type": "application/json", "Content-Length": str(len(body)), **refused.headers}
            await send({
                "type": "http.response.start", "status": refused.status,
                "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()]})
            await send({"type": "http.response.body", "body": body})
