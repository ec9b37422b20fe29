"""Calls that run once a person has approved exactly them."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import copy
import functools
import hashlib
import inspect
import os
import re
import string
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar, cast, overload

from ._http import Flow, drive, drive_async
from ._json import Json, NotJSON, canonical, encode_base64url, snapshot
from ._settings import AGENT_TOOLS
from .client import Approval, Countersign, Question, random_call_id, request_key
from .errors import CannotAsk
from .pending import Pending

P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
T = TypeVar("T")
Text = str | Callable[[Mapping[str, Json]], str]

AGENT_TYPES = ("tool_call", "payment", "command")
COMMAND_MEMBERS = ("folder", "command", "files", "diff")
SAFE = re.compile(r"[^A-Za-z0-9 +\-_.,:#]")
UNWRITABLE = re.compile("[\0\ud800-\udfff]")
LONGEST_MESSAGE = 64
# The limit of a text that tenants begin with. The agent's words are cut there, and arguments never.
LONGEST_WORDS = 255

_approval: ContextVar[Approval | None] = ContextVar("approval", default=None)
_calling: ContextVar[tuple[str | None, str | None]] = ContextVar("calling", default=(None, None))


def current() -> Approval | None:
    """The approval by which the running call runs, with its access token and receipt."""
    return _approval.get()


@contextlib.contextmanager
def calling(call_id: str | None = None, says: str | None = None) -> Iterator[None]:
    """Gives the calls within it their id, so that a repeated call rings once, and the agent's own words."""
    token = _calling.set((call_id, says))
    try:
        yield
    finally:
        _calling.reset(token)


class _Fields(string.Formatter):
    """Values by their names alone: a template reads no attributes."""

    def get_field(self, field_name: str, args: Any, kwargs: Any) -> Any:
        if not re.fullmatch(r"[^\W\d]\w*(\[\w+\])*", field_name):
            raise ValueError(f"{field_name!r} is no name of an argument")
        return super().get_field(field_name, args, kwargs)


@dataclass(frozen=True)
class Policy:
    """The part of a call that the person sees.

    `type` is `tool_call`, `payment` or `command`, or one that the API has registered, whose members are the arguments.
    `headline`, `to`, `says` and `message` are templates over the arguments, such as "{amount} EUR", or functions that
    take them. `leave_out` names arguments that are no part of the request, such as a framework's context, and
    `as_digest` those that are shown by their SHA-256 and size. `encode` makes JSON of values that are none.
    """

    type: str = "tool_call"
    headline: Text | None = None
    to: Text | None = None
    says: Text | None = None
    message: Text | None = None
    user: str | None = None
    audience: str | None = None
    leave_out: Collection[str] = ()
    as_digest: Collection[str] = ()
    encode: Callable[[Any], Any] | None = None
    expiry: int | None = None

    def __post_init__(self) -> None:
        if self.type == "payment" and self.headline is None and self.audience in (None, AGENT_TOOLS):
            raise TypeError("a payment needs a headline: its amount")
        for name in ("leave_out", "as_digest"):
            names = getattr(self, name)
            # Each part of a text would count as a name, and so as an argument that nobody is shown.
            if isinstance(names, (str, bytes)):
                raise TypeError(f'{name} takes several names, such as ("{names!s}",)')
            object.__setattr__(self, name, frozenset(names))

    def exact(self, values: Mapping[str, Any]) -> tuple[dict[str, Json], dict[str, Any]]:
        """The arguments' JSON, and copies of them that nobody else can change, both of this moment."""
        shown: dict[str, Json] = {}
        own: dict[str, Any] = {}
        for name, value in values.items():
            if name in self.leave_out:
                own[name] = value
                continue
            try:
                shown[name], own[name] = self._digested(value) if name in self.as_digest else snapshot(value, self.encode)
            except NotJSON as error:
                raise NotJSON(
                    f"its argument {name} is refused, since {error}; encode makes JSON of other values, and leave_out "
                    "names arguments that are no part of the request") from error
        return shown, own

    def _digested(self, value: Any) -> tuple[Json, Any]:
        own, kind = value, {}
        if type(value) is bytes:
            data = value
        elif type(value) is str:
            canonical(value)  # Refuses lone surrogates.
            data = value.encode()
        else:
            # The kind keeps a value and the text of its JSON apart.
            json, own = snapshot(value, self.encode)
            data, kind = canonical(json), {"kind": "json"}
        return {"sha256": encode_base64url(hashlib.sha256(data).digest()), "bytes": len(data), **kind}, own

    def question(self, tool: str, shown: dict[str, Json], says: str | None, audience: str) -> Question:
        texts = {
            name: self._text(name, template, shown)
            for name, template in (("headline", self.headline), ("to", self.to)) if template is not None}
        says = self._text("says", self.says, shown) if self.says is not None else says
        if says:
            # A model may write anything, and nothing that no text may have should stop the call.
            says = UNWRITABLE.sub("\ufffd", says)
            texts["says"] = says if len(says) <= LONGEST_WORDS else f"{says[:LONGEST_WORDS - 1]}…"
        usual = SAFE.sub("-", tool)[:LONGEST_MESSAGE]
        message = usual if self.message is None else self._text("message", self.message, shown)
        detail: dict[str, Json]
        if audience != AGENT_TOOLS or self.type not in AGENT_TYPES:
            if self.headline is not None or self.to is not None or self.says is not None or "type" in shown:
                raise CannotAsk(f"{self.type} is shown by its API's schema: it takes no texts, and no argument type")
            detail = {"type": self.type, **shown}
        elif self.type == "command":
            members = {name: shown.pop(name) for name in COMMAND_MEMBERS if name in shown}
            members.setdefault("folder", os.getcwd())
            rest: dict[str, Json] = {"arguments": shown} if shown else {}
            detail = {"type": self.type, "tool": tool, **members, **rest, **texts}
        else:
            detail = {"type": self.type, "tool": tool, "arguments": shown, **texts}
        return Question(detail, message, self.user, audience, self.expiry)

    @staticmethod
    def _text(name: str, template: Text, shown: Mapping[str, Json]) -> str:
        try:
            text = template(copy.deepcopy(dict(shown))) if callable(template) else _Fields().vformat(template, (), shown)
        except (LookupError, ValueError, TypeError) as error:
            raise CannotAsk(f"the {name} cannot be made of the arguments: {error}") from error
        if type(text) is not str or not text.strip():
            raise CannotAsk(f"the {name} is blank")
        return text


class Call(Generic[R_co]):
    """One call of one tool. Its arguments are read when it asks, and again right before it runs.

    `run` takes a copy of the arguments that nobody else can change: exactly those that were compared.
    """

    def __init__(
        self, client: Countersign, policy: Policy, tool: str, values: Mapping[str, Any],
        run: Callable[[dict[str, Any]], R_co], call_id: str | None = None, says: str | None = None,
    ) -> None:
        given_id, given_says = _calling.get()
        self.client, self.policy, self.tool, self._values, self._run = client, policy, tool, values, run
        self._id = call_id or given_id or random_call_id()
        self._says = says or given_says

    def _exact(self) -> tuple[Question, dict[str, Any]]:
        audience = self.policy.audience or self.client.settings.audience
        try:
            shown, own = self.policy.exact(self._values)
            question = self.policy.question(self.tool, shown, self._says, audience)
            question.digest
        except NotJSON as error:
            raise CannotAsk(f"{self.tool} cannot be shown: {error}") from error
        return question, own

    @property
    def question(self) -> Question:
        """The question that the person would be asked now."""
        return self._exact()[0]

    def _start(self) -> Flow[Pending]:
        question = self.question
        return (yield from self.client.start_flow(question, request_key(self._id, question)))

    def _wait(self, pending: Pending) -> Flow[Approval]:
        return (yield from self.client.wait_flow(pending, self.question))

    def _poll(self, pending: Pending, wait: int) -> Flow[Approval | None]:
        return (yield from self.client.poll_flow(pending, self.question, wait))

    def _permitted(self, approval: Approval) -> dict[str, Any]:
        """The arguments to run with. Nothing that waits may come between this and the run."""
        question, own = self._exact()
        approval.spend(question)
        return own

    # MARK: waiting in a thread

    def start(self) -> Pending:
        """Asks, without waiting. A call with an id asks once, however often it starts."""
        return drive(self._start(), self.client.transport)

    def wait(self, pending: Pending) -> Approval:
        return drive(self._wait(pending), self.client.transport)

    def poll(self, pending: Pending, wait: int = 0) -> Approval | None:
        """The approval, or None while there is no answer."""
        return drive(self._poll(pending, wait), self.client.transport)

    def run(self, approval: Approval) -> R_co:
        own = self._permitted(approval)
        token = _approval.set(approval)
        try:
            return self._run(own)
        finally:
            _approval.reset(token)

    def resume(self, pending: Pending) -> R_co:
        """Waits for the answer to a request of this process or another, and runs."""
        return self.run(self.wait(pending))

    def cancel(self, pending: Pending) -> None:
        """Withdraws a request that nobody has answered."""
        drive(self.client.cancel_quietly_flow(pending), self.client.transport)

    def __call__(self) -> R_co:
        pending = self.start()
        try:
            approval = self.wait(pending)
        except (KeyboardInterrupt, SystemExit, GeneratorExit):
            self.cancel(pending)
            raise
        return self.run(approval)

    # MARK: waiting in an event loop

    async def start_async(self) -> Pending:
        return await drive_async(self._start(), self.client.transport)

    async def wait_async(self, pending: Pending) -> Approval:
        return await drive_async(self._wait(pending), self.client.transport)

    async def poll_async(self, pending: Pending, wait: int = 0) -> Approval | None:
        return await drive_async(self._poll(pending, wait), self.client.transport)

    async def run_async(self: Call[Awaitable[T]], approval: Approval) -> T:
        own = self._permitted(approval)
        token = _approval.set(approval)
        try:
            return await self._run(own)
        finally:
            _approval.reset(token)

    async def resume_async(self: Call[Awaitable[T]], pending: Pending) -> T:
        return await self.run_async(await self.wait_async(pending))

    async def cancel_async(self, pending: Pending) -> None:
        await drive_async(self.client.cancel_quietly_flow(pending), self.client.transport)

    async def call_async(self: Call[Awaitable[T]]) -> T:
        pending = await self.start_async()
        try:
            approval = await self.wait_async(pending)
        except asyncio.CancelledError:
            await asyncio.shield(self.cancel_async(pending))
            raise
        return await self.run_async(approval)


def run_all(calls: Sequence[Call[T]]) -> list[T | Exception]:
    """Asks for all calls at once, each as a request of its own, and runs each as its approval arrives.

    A rejection is the result of its call alone, and so is an exception of its function.
    """
    results: dict[int, T | Exception] = {}
    started: list[tuple[Call[T], Pending]] = []

    def approval(call: Call[T]) -> Approval:
        pending = call.start()
        started.append((call, pending))
        return call.wait(pending)

    with concurrent.futures.ThreadPoolExecutor(max(1, len(calls))) as pool:
        waiting = {pool.submit(approval, call): index for index, call in enumerate(calls)}
        try:
            for done in concurrent.futures.as_completed(waiting):
                index = waiting[done]
                try:
                    results[index] = calls[index].run(done.result())
                except Exception as error:
                    results[index] = error
        except BaseException:
            # Threads that wait end when their requests are withdrawn.
            for call, pending in started:
                call.cancel(pending)
            raise
    return [results[index] for index in range(len(calls))]


async def run_all_async(calls: Sequence[Call[Awaitable[T]]]) -> list[T | Exception]:
    async def result(call: Call[Awaitable[T]]) -> T | Exception:
        try:
            return await call.call_async()
        except Exception as error:
            return error

    return list(await asyncio.gather(*map(result, calls)))


# MARK: decorated functions

_default: Countersign | None = None


def default_client() -> Countersign:
    """The client of decorators that name none."""
    global _default
    if _default is None:
        _default = Countersign()
    return _default


def set_default_client(client: Countersign | None) -> None:
    global _default
    _default = client


class Guarded(Protocol[P, R_co]):
    """A function that runs once its call is approved. `call` makes a call that can be started and resumed.

    Of a method, that is `Bank.pay.call(bank, 25)`.
    """

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co: ...

    @overload
    def __get__(self, instance: None, owner: type) -> Guarded[P, R_co]: ...

    @overload
    def __get__(
        self: Guarded[Concatenate[Any, Q], T], instance: object, owner: type | None = None) -> Callable[Q, T]: ...

    def call(self, *args: P.args, **kwargs: P.kwargs) -> Call[R_co]: ...


def approve(
    type: str = "tool_call", *, headline: Text | None = None, to: Text | None = None, says: Text | None = None,
    message: Text | None = None, user: str | None = None, audience: str | None = None, leave_out: Collection[str] = (),
    as_digest: Collection[str] = (), encode: Callable[[Any], Any] | None = None, expiry: int | None = None,
    name: str | None = None, client: Countersign | None = None,
) -> Callable[[Callable[P, R]], Guarded[P, R]]:
    """Makes a function ask before it runs. `Policy` describes the options, and `name` replaces the function's name."""
    if not isinstance(type, str):
        raise TypeError("the decorator takes parentheses: @approve()")
    policy = Policy(type, headline, to, says, message, user, audience, leave_out, as_digest, encode, expiry)
    return lambda function: guarded(function, policy, name, client)


def guarded(
    function: Callable[P, R], policy: Policy, name: str | None = None, client: Countersign | None = None,
) -> Guarded[P, R]:
    # Objects may be called like functions.
    kinds = (function, getattr(type(function), "__call__", None))
    if any(map(inspect.isasyncgenfunction, kinds)) or any(map(inspect.isgeneratorfunction, kinds)):
        raise TypeError("a generator runs piece by piece; guard the function that consumes it")
    signature = inspect.signature(function)
    unknown = {*policy.leave_out, *policy.as_digest} - set(signature.parameters)
    if unknown:
        raise TypeError(f"{function} has no arguments {', '.join(sorted(unknown))}")
    tool = name or getattr(function, "__name__", None)
    if not isinstance(tool, str):
        raise TypeError(f"{function} has no name that the person could see; set name")

    def call(*args: P.args, **kwargs: P.kwargs) -> Call[R]:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()

        def run(own: dict[str, Any]) -> R:
            exact = inspect.BoundArguments(signature, cast(Any, own))
            return function(*exact.args, **exact.kwargs)

        return Call(client or default_client(), policy, tool, bound.arguments, run)

    if any(map(inspect.iscoroutinefunction, kinds)):
        @functools.wraps(function)
        async def wrapper(*args: P.args, **kwargs: P.kwargs) -> Any:
            return await cast("Call[Awaitable[Any]]", call(*args, **kwargs)).call_async()
    else:
        @functools.wraps(function)
        def wrapper(*args: P.args, **kwargs: P.kwargs) -> Any:
            return call(*args, **kwargs)()
    wrapper.call = call  # type: ignore[attr-defined]
    return cast("Guarded[P, R]", wrapper)
