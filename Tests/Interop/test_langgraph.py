"""A LangGraph agent calls a tool that auth0-ai guards: the graph pauses until the user decided."""

import asyncio

from auth0_ai_langchain.async_authorization import get_async_authorization_credentials
from auth0_ai_langchain.auth0_ai import Auth0AI
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import ensure_config
from langchain_core.tools import StructuredTool
from langgraph.checkpoint.memory import MemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode

from programs import AUDIENCE, PAYMENT, InteropTest


class LangGraph(InteropTest):
    USERS = ("auth0|hanna", "auth0|tyrion")

    def graph(self):
        """An agent whose model always calls the payment tool."""
        guard = Auth0AI({
            "domain": self.domain, "client_id": self.client_id, "client_secret": self.client_secret,
        }).with_async_authorization(
            scopes=["openid", "read:profile"], audience=AUDIENCE, requested_expiry=60,
            user_id=lambda **_: ensure_config()["configurable"]["user_id"],
            binding_message=lambda amount, **_: f"Confirm payment of {amount}",
            authorization_details=lambda amount, **_: [
                {**PAYMENT, "instructedAmount": {"amount": amount, "currency": "USD"}}],
            on_authorization_request="interrupt")

        def pay(amount: int) -> str:
            """Pays."""
            return f"paid {amount} with a {get_async_authorization_credentials()['token_type']} token"

        def model(state):
            if isinstance(state["messages"][-1], HumanMessage):
                return {"messages": [AIMessage("", tool_calls=[{"name": "pay", "args": {"amount": 99}, "id": "call"}])]}
            return {"messages": [AIMessage("done")]}

        graph = StateGraph(MessagesState)
        graph.add_node("model", model)
        graph.add_node("tools", ToolNode([guard(StructuredTool.from_function(pay))], handle_tool_errors=False))
        graph.add_edge(START, "model")
        graph.add_conditional_edges("model", lambda state: "tools" if state["messages"][-1].tool_calls else END)
        graph.add_edge("tools", "model")
        return graph.compile(checkpointer=MemorySaver())

    async def stopped(self, user):
        """The graph paused at the tool's call, and the value that resumes it."""
        graph, config = self.graph(), {"configurable": {"thread_id": user, "user_id": user}}
        await graph.ainvoke({"messages": [HumanMessage("Pay the bill")]}, config)
        interrupts = (await graph.aget_state(config)).tasks[0].interrupts
        self.assertEqual([each.value["code"] for each in interrupts], ["ASYNC_AUTHORIZATION_PENDING"])
        return graph, config

    def test_a_graph_goes_on_with_the_tool_once_the_user_allowed_it(self):
        async def run():
            graph, config = await self.stopped("auth0|hanna")
            shown = self.phones["auth0|hanna"].answer("allow")
            self.assertEqual(shown["binding_message"], "Confirm payment of 99")
            return (await graph.ainvoke(None, config))["messages"]

        messages = asyncio.run(run())
        self.assertEqual([message.content for message in messages[-2:]], ["paid 99 with a Bearer token", "done"])

    def test_a_graph_stops_at_a_tool_that_the_user_rejected(self):
        async def run():
            graph, config = await self.stopped("auth0|tyrion")
            self.phones["auth0|tyrion"].answer("reject", "--reason", "too much")
            await graph.ainvoke(None, config)

        with self.assertRaises(Exception) as raised:
            asyncio.run(run())
        self.assertEqual(raised.exception.code, "ASYNC_AUTHORIZATION_ACCESS_DENIED")
