"""FastMCP: `server.add_middleware(ApprovalMiddleware({"pay": Policy(…)}))`."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from typing import Any

import mcp_types
from fastmcp.exceptions import ToolError
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from fastmcp.tools.base import ToolResult

from ..calls import Policy
from ..client import Countersign
from . import ANSWERS, call_of, warn_of_unknown, with_defaults, words


class ApprovalMiddleware(Middleware):
    """Runs the named tools of a server once the person has approved exactly the call."""

    def __init__(self, policies: Mapping[str, Policy], client: Countersign | None = None) -> None:
        self._policies, self._client, self._is_checked = policies, client, False

    async def on_call_tool(
        self, context: MiddlewareContext[mcp_types.CallToolRequestParams],
        call_next: CallNext[mcp_types.CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        message = context.message
        server = context.fastmcp_context.fastmcp if context.fastmcp_context else None
        if server is not None and not self._is_checked:
            self._is_checked = True
            warn_of_unknown(self._policies, [name for name in self._policies if await server.get_tool(name) is not None])
        policy = self._policies.get(message.name)
        if policy is None:
            return await call_next(context)
        name = message.name
        tool = await server.get_tool(name) if server else None

        def run(own: dict[str, Any]) -> Awaitable[ToolResult]:
            exact = message.model_copy(update={"name": name, "arguments": own})
            return call_next(context.copy(message=exact))

        arguments = with_defaults(message.arguments or {}, tool.parameters if tool else {})
        try:
            return await call_of(policy, self._client, name, arguments, run).call_async()
        except ANSWERS as error:
            raise ToolError(words(error)) from error
