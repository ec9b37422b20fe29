"""MCP: an agent's host asks before it calls a server's tool.

    await ApprovedTools(client, {"pay": Policy(…)}).call_tool("pay", {"amount": 5})

Tools of an own server, with the official SDK, take the decorator: `@server.tool()` above `@approve(…)`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from typing import Any

from mcp.client.client import Client
from mcp.types import CallToolResult, TextContent

from ..calls import Policy
from ..client import Countersign
from . import ANSWERS, call_of, with_defaults, words

MOST_PAGES = 100


class ApprovedTools:
    """Tools of a server. Those with a policy are called once the person has approved exactly the call."""

    def __init__(
        self, session: Client, policies: Mapping[str, Policy], client: Countersign | None = None,
    ) -> None:
        self._session, self._policies, self._client = session, policies, client
        self._schemas: dict[str, Mapping[str, Any]] | None = None

    async def call_tool(
        self, name: str, arguments: dict[str, Any] | None = None, call_id: str | None = None, says: str | None = None,
    ) -> CallToolResult:
        """The result, or an error for a rejected call. `says` is the agent's own words."""
        schemas = await self._known()
        policy = self._policies.get(name)
        if policy is None:
            return await self._session.call_tool(name, arguments)

        def run(own: dict[str, Any]) -> Awaitable[CallToolResult]:
            return self._session.call_tool(name, own)

        complete = with_defaults(arguments or {}, schemas.get(name, {}))
        try:
            return await call_of(policy, self._client, name, complete, run, call_id, says).call_async()
        except ANSWERS as error:
            return CallToolResult(content=[TextContent(type="text", text=words(error))], is_error=True)

    async def _known(self) -> Mapping[str, Mapping[str, Any]]:
        """Schemas of all tools. A server that names a guarded tool otherwise would have its calls unguarded."""
        if self._schemas is None:
            schemas: dict[str, Mapping[str, Any]] = {}
            cursor: str | None = None
            for _ in range(MOST_PAGES):
                listed = await self._session.list_tools(cursor=cursor)
                schemas.update({tool.name: tool.input_schema for tool in listed.tools})
                cursor = listed.next_cursor
                if cursor is None:
                    break
            unknown = sorted(set(self._policies) - set(schemas))
            if unknown:
                raise TypeError(f"the server has no tools {', '.join(unknown)}, which policies name")
            self._schemas = schemas
        return self._schemas
