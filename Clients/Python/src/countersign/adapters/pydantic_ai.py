"""Pydantic AI: `toolsets=[ApprovedToolset(FunctionToolset([pay]), {"pay": Policy(…)})]`."""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.messages import ModelResponse
from pydantic_ai.tools import AgentDepsT
from pydantic_ai.toolsets import ToolsetTool, WrapperToolset
from pydantic_core import to_jsonable_python

from ..calls import Policy
from ..client import Countersign
from . import ANSWERS, call_of, with_defaults, words


@dataclass
class ApprovedToolset(WrapperToolset[AgentDepsT]):
    """The toolset, whose named tools run once the person has approved exactly the call."""

    policies: Mapping[str, Policy] = field(default_factory=dict)
    client: Countersign | None = None

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT],
    ) -> Any:
        policy = self.policies.get(name)
        if policy is None:
            return await self.wrapped.call_tool(name, tool_args, ctx, tool)
        if policy.encode is None:
            # Arguments are validated already, and may be dates or models.
            policy = dataclasses.replace(policy, encode=to_jsonable_python)

        def run(own: dict[str, Any]) -> Awaitable[Any]:
            return self.wrapped.call_tool(name, own, ctx, tool)

        arguments = with_defaults(tool_args, tool.tool_def.parameters_json_schema)
        call_id = f"{ctx.run_id}/{ctx.tool_call_id}" if ctx.run_id and ctx.tool_call_id else None
        try:
            return await call_of(policy, self.client, name, arguments, run, call_id, _says(ctx)).call_async()
        except ANSWERS as error:
            return words(error)


def _says(ctx: RunContext[Any]) -> str | None:
    """The words with which the agent made the call."""
    last = ctx.messages[-1] if ctx.messages else None
    return (last.text or None) if isinstance(last, ModelResponse) else None
