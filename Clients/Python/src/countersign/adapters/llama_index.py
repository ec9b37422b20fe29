"""LlamaIndex: `FunctionAgent(tools=[ApprovedTool(pay_tool, Policy(…))])`."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

from llama_index.core.tools import AsyncBaseTool, FunctionTool, ToolMetadata, ToolOutput

from ..calls import Policy
from ..client import Countersign
from . import call_of, with_defaults


class ApprovedTool(AsyncBaseTool):
    """The tool, which runs once the person has approved exactly the call. A model hears of errors as the result."""

    def __init__(self, tool: AsyncBaseTool, policy: Policy, client: Countersign | None = None) -> None:
        if isinstance(tool, FunctionTool) and tool.requires_context:
            raise TypeError("a tool that takes the context is not supported; use the decorator, with leave_out")
        self._tool, self._policy, self._client = tool, policy, client

    @property
    def metadata(self) -> ToolMetadata:
        return self._tool.metadata

    def _arguments(self, given: dict[str, Any]) -> dict[str, Any]:
        return with_defaults(given, self.metadata.get_parameters_dict())

    def call(self, *args: Any, **kwargs: Any) -> ToolOutput:
        if args:
            raise TypeError("name the arguments: the person sees their names")

        def run(own: dict[str, Any]) -> ToolOutput:
            return self._tool.call(**own)

        return call_of(self._policy, self._client, self.metadata.get_name(), self._arguments(kwargs), run)()

    async def acall(self, *args: Any, **kwargs: Any) -> ToolOutput:
        if args:
            raise TypeError("name the arguments: the person sees their names")

        def run(own: dict[str, Any]) -> Awaitable[ToolOutput]:
            return self._tool.acall(**own)

        name = self.metadata.get_name()
        return await call_of(self._policy, self._client, name, self._arguments(kwargs), run).call_async()
