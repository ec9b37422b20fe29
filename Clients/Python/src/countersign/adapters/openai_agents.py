"""The OpenAI Agents SDK: `tools=[approved(pay, Policy(…))]`."""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable
from typing import Any

from agents import FunctionTool
from agents.tool_context import ToolContext

from .._json import canonical
from ..calls import Policy
from ..client import Countersign
from . import ANSWERS, arguments_of, call_of, with_defaults, words


def approved(tool: FunctionTool, policy: Policy, client: Countersign | None = None) -> FunctionTool:
    """The tool, which runs once the person has approved exactly the call. A model hears of a rejection as the result."""

    async def invoke(context: ToolContext[Any], text: str) -> Any:
        def run(own: dict[str, Any]) -> Awaitable[Any]:
            return tool.on_invoke_tool(context, canonical(own).decode())

        try:
            arguments = with_defaults(arguments_of(text), tool.params_json_schema)
            return await call_of(policy, client, tool.name, arguments, run, context.tool_call_id).call_async()
        except ANSWERS as error:
            return words(error)

    return dataclasses.replace(tool, on_invoke_tool=invoke)
