"""Pydantic AI: `toolsets=[ApprovedToolset(FunctionToolset([pay]), {"pay": Policy(…)})]`."""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel
from pydantic_ai import RunContext
from pydantic_ai.messages import ModelResponse
from pydantic_ai.tools import AgentDepsT
from pydantic_ai.toolsets import ToolsetTool, WrapperToolset
from pydantic_core import to_jsonable_python

from .._json import NotJSON
from ..calls import Policy
from ..client import Countersign
from . import ANSWERS, call_of, warn_of_unknown, with_defaults, words


@dataclass
class ApprovedToolset(WrapperToolset[AgentDepsT]):
    """The toolset, whose named tools run once the person has approved exactly the call."""

    policies: Mapping[str, Policy] = field(default_factory=dict)
    client: Countersign | None = None
    _is_checked: bool = field(default=False, init=False, repr=False)

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        tools = await super().get_tools(ctx)
        if not self._is_checked:
            self._is_checked = True
            warn_of_unknown(self.policies, tools)
        return tools

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT],
    ) -> Any:
        policy = self.policies.get(name)
        if policy is None:
            return await self.wrapped.call_tool(name, tool_args, ctx, tool)
        if policy.encode is None:
            # Arguments are validated already, and may be dates or models.
            policy = dataclasses.replace(policy, encode=_plain)

        def run(own: dict[str, Any]) -> Awaitable[Any]:
            return self.wrapped.call_tool(name, own, ctx, tool)

        # The schema of a single model stands for the model's members, which have their defaults already.
        is_single = len(tool_args) == 1 and _members(next(iter(tool_args.values()))) is not None
        arguments = tool_args if is_single else with_defaults(tool_args, tool.tool_def.parameters_json_schema)
        call_id = f"{ctx.run_id}/{ctx.tool_call_id}" if ctx.run_id and ctx.tool_call_id else None
        try:
            return await call_of(policy, self.client, name, arguments, run, call_id, _says(ctx)).call_async()
        except ANSWERS as error:
            return words(error)


def _members(value: Any) -> dict[str, Any] | None:
    """All members of a model or data class. Its own serializer may leave some out, or change them."""
    if isinstance(value, BaseModel):
        return {**vars(value), **(value.model_extra or {})}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
    return None


def _plain(value: Any) -> Any:
    """JSON of a validated value, with everything that the tool can read."""
    members = value if isinstance(value, Mapping) else _members(value)
    if members is not None:
        return {name: _plain(each) for name, each in members.items()}
    if isinstance(value, (Sequence, Set)) and not isinstance(value, (str, bytes, bytearray)):
        return [_plain(each) for each in value]
    if hasattr(value, "get_secret_value"):
        raise NotJSON("the person could not see a secret")
    try:
        return to_jsonable_python(value)
    except ValueError as error:
        raise NotJSON(str(error)) from error


def _says(ctx: RunContext[Any]) -> str | None:
    """The words with which the agent made the call."""
    last = ctx.messages[-1] if ctx.messages else None
    return (last.text or None) if isinstance(last, ModelResponse) else None
