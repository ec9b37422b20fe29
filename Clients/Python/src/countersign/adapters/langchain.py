"""LangChain's middleware and LangGraph's tool node: a tool runs once the person has approved exactly its call."""

from __future__ import annotations

import copy
import threading
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import BaseTool
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command, interrupt
from pydantic import BaseModel, ValidationError

from ..calls import Call, Policy
from ..client import Approval, Countersign
from ..errors import CannotAsk, Changed
from ..pending import Pending
from . import ANSWERS, InvalidArguments, call_of, with_defaults, words

T = TypeVar("T")
Result = ToolMessage | Command[Any]


class ApprovalMiddleware(AgentMiddleware[Any, Any]):
    """Asks before each call of the named tools.

    With `interrupts`, the graph stops if nobody has answered within `hold` seconds, and goes on with
    `Command(resume=True)`, also in another process. A stopped call rings once: its request is found again by the ids of
    the thread and the call. Without a language model, `ToolNode(…, wrap_tool_call=ApprovalMiddleware(…).wrap_tool_call)`.
    """

    def __init__(
        self, policies: Mapping[str, Policy], client: Countersign | None = None, *, interrupts: bool = False, hold: int = 10,
    ) -> None:
        super().__init__()
        self._policies, self._client, self._interrupts, self._hold = policies, client, interrupts, hold

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Result]) -> Result:
        try:
            call = self._call(request, handler)
            if call is None:
                return handler(request)
            if not self._interrupts:
                return call()
            pending = call.start()
            return call.run(call.poll(pending, self._hold) or _stop(call, pending))
        except ANSWERS as error:
            return _refused(request, error)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Result]],
    ) -> Result:
        try:
            call = self._call(request, handler)
            if call is None:
                return await handler(request)
            if not self._interrupts:
                return await call.call_async()
            pending = await call.start_async()
            return await call.run_async(await call.poll_async(pending, self._hold) or _stop(call, pending))
        except ANSWERS as error:
            return _refused(request, error)

    def _call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], T]) -> Call[T] | None:
        name, call_id = request.tool_call["name"], request.tool_call["id"] or ""
        policy = self._policies.get(name)
        if policy is None:
            return None

        def run(own: dict[str, Any]) -> T:
            exact = request.override(tool_call={"name": name, "args": own, "id": call_id, "type": "tool_call"})
            return handler(exact if exact.tool is None else exact.override(tool=_once(exact.tool, copy.deepcopy(own))))

        thread = (request.runtime.config if request.runtime else {}).get("configurable", {}).get("thread_id", "")
        return call_of(
            policy, self._client, name, _arguments(request), run, f"{thread}/{call_id}" if call_id else None,
            _says(request.state))


def _arguments(request: ToolCallRequest) -> dict[str, Any]:
    """The arguments as the tool's schema reads them, with its defaults."""
    arguments = request.tool_call["args"]
    schema = request.tool.tool_call_schema if request.tool is not None else {}
    if isinstance(schema, dict):
        return with_defaults(arguments, schema)
    if issubclass(schema, BaseModel):
        try:
            read = schema.model_validate(arguments)
        except ValidationError as error:
            raise InvalidArguments(str(error)) from error
        shown = read.model_dump(mode="json", by_alias=True)
        try:
            is_whole = schema.model_validate(shown) == read
        except ValidationError:
            is_whole = False
        if not is_whole:
            # Refuses a member that is excluded, has another name when it is read, or is a secret.
            raise CannotAsk(f"{request.tool_call['name']} cannot be shown: its schema reads something else from what it writes")
        unknown = sorted(set(arguments) - set(shown))
        if unknown:
            raise InvalidArguments(f"there are no arguments {', '.join(unknown)}")
        return shown
    return dict(arguments)


def _once(tool: BaseTool, own: dict[str, Any]) -> BaseTool:
    """The tool, for one run with these arguments: middleware within the guard may repeat a call, or change it."""
    unspent = threading.Lock()

    def exact(call: Any) -> Any:
        if not unspent.acquire(blocking=False):
            raise Changed("an approval runs one call once, and this one was repeated; nothing runs twice")
        return {**call, "args": {**call["args"], **own}}

    def invoke(call: Any, *more: Any, **options: Any) -> Any:
        return tool.invoke(exact(call), *more, **options)

    async def ainvoke(call: Any, *more: Any, **options: Any) -> Any:
        return await tool.ainvoke(exact(call), *more, **options)

    guarded = copy.copy(tool)
    # Members of the object, since pydantic knows no such fields.
    object.__setattr__(guarded, "invoke", invoke)
    object.__setattr__(guarded, "ainvoke", ainvoke)
    return guarded


def _says(state: Any) -> str | None:
    """The words with which the agent made the call."""
    messages = state.get("messages") if isinstance(state, dict) else state if isinstance(state, list) else None
    last = messages[-1] if messages else None
    return (str(last.text) or None) if isinstance(last, AIMessage) else None


def _stop(call: Call[Any], pending: Pending) -> Approval:
    """Stops the graph. A graph that is resumed repeats the node: it has polled again, and passes its earlier stops."""
    while True:
        interrupt({"waiting": call.tool, "approval_uri": pending.approval_uri, "matching_code": pending.matching_code})


def _refused(request: ToolCallRequest, error: Exception) -> ToolMessage:
    return ToolMessage(
        words(error), tool_call_id=request.tool_call["id"] or "", name=request.tool_call["name"], status="error")
