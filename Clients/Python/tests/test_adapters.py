"""Adapters, with the frameworks that are installed: the person sees all that a tool can read, and it can read no more."""

import asyncio
import dataclasses

import pytest

from countersign import CannotAsk, Changed, Countersign, CountersignError, Policy
from countersign.adapters import with_defaults


@pytest.mark.parametrize("schema", [{}, {"properties": None}, {"properties": {"a": True, "b": {}}}])
def test_a_schema_without_defaults_adds_none(schema):
    assert with_defaults({"a": 1}, schema) == {"a": 1}


def call_by_pydantic_ai(function, arguments, client, guarded=None):
    """Makes a model call a guarded tool. Returns the result of the tool."""
    pytest.importorskip("pydantic_ai")
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel
    from pydantic_ai.toolsets import FunctionToolset

    from countersign.adapters.pydantic_ai import ApprovedToolset

    def model(messages, info):
        if len(messages) == 1:
            return ModelResponse([ToolCallPart(function.__name__, arguments)])
        return ModelResponse([TextPart(str(messages[-1].parts[0].content))])

    toolset = ApprovedToolset(FunctionToolset([function]), {guarded or function.__name__: Policy()}, client)
    return Agent(FunctionModel(model), toolsets=[toolset]).run_sync("go").output


def test_the_person_sees_what_a_models_own_serializer_would_hide():
    pydantic = pytest.importorskip("pydantic")

    class Payment(pydantic.BaseModel):
        model_config = pydantic.ConfigDict(extra="allow")
        amount: int
        bcc: str = pydantic.Field("nobody", exclude=True)

        @pydantic.field_serializer("amount")
        def small(self, value):
            return min(value, 10)

    @dataclasses.dataclass
    class Order:
        payments: list[Payment]
        parts: frozenset[int]

    def pay(payment: Payment) -> str:
        return f"{payment.amount} {payment.bcc} {payment.model_extra}"

    def order(order: Order, count: int = 2) -> str:
        return f"{order.payments[0].bcc} {count}"

    Order.__annotations__ = {"payments": list[Payment], "parts": frozenset[int]}
    pay.__annotations__, order.__annotations__ = {"payment": Payment}, {"order": Order, "count": int}
    client, hidden = Countersign.fake(), {"amount": 9999, "bcc": "Mallory", "more": 1}
    assert call_by_pydantic_ai(pay, hidden, client) == "9999 Mallory {'more': 1}"
    assert call_by_pydantic_ai(order, {"order": {"payments": [hidden], "parts": [1]}}, client) == "Mallory 2"
    assert [asked["arguments"] for asked in client.asked] == [
        {"payment": hidden}, {"order": {"payments": [hidden], "parts": [1]}, "count": 2}]


def test_a_single_model_gets_no_defaults_beside_it():
    pydantic = pytest.importorskip("pydantic")

    class Payment(pydantic.BaseModel):
        amount: int
        note: str = "none"

    def pay(payment):
        return payment.note

    pay.__annotations__ = {"payment": Payment}
    client = Countersign.fake()
    assert call_by_pydantic_ai(pay, {"amount": 1}, client) == "none"
    assert client.asked[0]["arguments"] == {"payment": {"amount": 1, "note": "none"}}


def test_a_secret_argument_that_nobody_could_see_is_refused():
    pydantic = pytest.importorskip("pydantic")

    def login(password):
        return "in"

    login.__annotations__ = {"password": pydantic.SecretStr}
    client = Countersign.fake()
    with pytest.raises(CannotAsk, match="secret"):
        call_by_pydantic_ai(login, {"password": "x"}, client)
    assert client.asked == []


@pytest.mark.parametrize("text", ["{", "[]", '{"amount": 1e999}', '{"amount": 1, "amount": 2}', '{"amount": 9007199254740993}'])
def test_a_model_hears_that_its_arguments_are_no_json(text):
    agents = pytest.importorskip("agents")
    from agents.tool_context import ToolContext

    from countersign.adapters.openai_agents import approved

    ran = []
    client = Countersign.fake()
    tool = approved(agents.function_tool(lambda amount: ran.append(amount), name_override="pay"), Policy(), client)
    context = ToolContext(None, tool_name="pay", tool_call_id="call-1", tool_arguments=text)
    assert asyncio.run(tool.on_invoke_tool(context, text)).startswith("Not done: ")
    assert (ran, client.asked) == ([], [])


class Pages:
    """A session with an MCP server that lists one tool a page, the last of which has a default."""

    def __init__(self, *names):
        self.names, self.called = names, []

    async def list_tools(self, cursor=None):
        from mcp.types import ListToolsResult, Tool

        index = int(cursor or 0)
        schema = {"type": "object", "properties": {"days": {"default": 30}}}
        return ListToolsResult(
            tools=[Tool(name=self.names[index], input_schema=schema)],
            next_cursor=str(index + 1) if index + 1 < len(self.names) else None)

    async def call_tool(self, name, arguments):
        self.called.append((name, arguments))


def test_defaults_of_a_tool_on_the_last_page_are_shown():
    pytest.importorskip("mcp.client.client")
    from countersign.adapters.mcp import ApprovedTools

    client, session = Countersign.fake(), Pages("a", "b", "pay")
    tools = ApprovedTools(session, {"pay": Policy()}, client)
    asyncio.run(tools.call_tool("pay", {"amount": 5}))
    assert client.asked[0]["arguments"] == {"amount": 5, "days": 30}
    assert session.called == [("pay", {"amount": 5, "days": 30})]


def test_a_server_that_names_a_guarded_tool_otherwise_gets_no_call():
    pytest.importorskip("mcp.client.client")
    from countersign.adapters.mcp import ApprovedTools

    session = Pages("pay2")
    with pytest.raises(TypeError, match="no tools pay,"):
        asyncio.run(ApprovedTools(session, {"pay": Policy()}, Countersign.fake()).call_tool("pay2", {"amount": 5}))
    assert session.called == []


def test_a_policy_that_guards_nothing_is_reported(caplog):
    pytest.importorskip("pydantic_ai")
    call_by_pydantic_ai(lambda: "", {}, Countersign.fake(), guarded="bank_pay")
    assert "no tool is named bank_pay" in caplog.text


def test_a_policy_of_a_fastmcp_server_that_guards_nothing_is_reported_once(caplog):
    fastmcp = pytest.importorskip("fastmcp")
    from countersign.adapters.fastmcp import ApprovalMiddleware

    server = fastmcp.FastMCP("Bank")
    server.tool(lambda: "", name="pay")
    server.add_middleware(ApprovalMiddleware({"bank_pay": Policy()}, Countersign.fake()))

    async def run():
        async with fastmcp.Client(server) as session:
            await session.call_tool("pay", {})
            await session.call_tool("pay", {})

    asyncio.run(run())
    assert caplog.text.count("no tool is named bank_pay") == 1


class Repeating:
    """Runs tools within the guard, and repeats each call with other arguments, as middleware may."""

    def __init__(self):
        self.failures = []

    def calls(self, request):
        for args in ({}, {"amount": 1}):
            request.tool_call["args"]["amount"] = 9999
            yield {**request.tool_call, "args": {**request.tool_call["args"], **args}}

    def __call__(self, request):
        for call in self.calls(request):
            try:
                request.tool.invoke(call)
            except CountersignError as error:
                self.failures.append(error)

    async def in_loop(self, request):
        for call in self.calls(request):
            try:
                await request.tool.ainvoke(call)
            except CountersignError as error:
                self.failures.append(error)


@pytest.mark.parametrize("is_async", [False, True])
def test_middleware_within_the_guard_neither_repeats_nor_changes_a_call(is_async):
    pytest.importorskip("langchain")
    from langchain_core.tools import tool
    from langgraph.prebuilt.tool_node import ToolCallRequest

    from countersign.adapters.langchain import ApprovalMiddleware

    ran = []

    @tool
    def pay(amount):
        """Pays."""
        ran.append(amount)

    guard, within = ApprovalMiddleware({"pay": Policy()}, Countersign.fake()), Repeating()
    request = ToolCallRequest(
        tool_call={"name": "pay", "args": {"amount": 5}, "id": "call-1", "type": "tool_call"}, tool=pay, state={}, runtime=None)
    if is_async:
        asyncio.run(guard.awrap_tool_call(request, within.in_loop))
    else:
        guard.wrap_tool_call(request, within)
    assert ran == [5] and isinstance(within.failures[0], Changed)


def call_by_langchain(schema, arguments, client):
    """Makes a guarded call of a tool with that schema. Returns the message that did not run, and what ran."""
    pytest.importorskip("langchain")
    from langchain_core.tools import StructuredTool
    from langgraph.prebuilt.tool_node import ToolCallRequest

    from countersign.adapters.langchain import ApprovalMiddleware

    ran = []
    pay = StructuredTool.from_function(lambda **given: ran.append(given), name="pay", description="Pays", args_schema=schema)
    request = ToolCallRequest(
        tool_call={"name": "pay", "args": arguments, "id": "call-1", "type": "tool_call"}, tool=pay, state={}, runtime=None)
    guard = ApprovalMiddleware({"pay": Policy()}, client)
    return guard.wrap_tool_call(request, lambda exact: exact.tool.invoke(exact.tool_call)), ran


@pytest.mark.parametrize("options", [{"exclude": True}, {"validation_alias": "sum"}, {"serialization_alias": "sum"}])
def test_a_schema_that_reads_something_else_than_it_shows_is_refused(options):
    pydantic = pytest.importorskip("pydantic")
    inner = pydantic.create_model("Payment", amount=(int, pydantic.Field(1, **options)))
    client = Countersign.fake()
    with pytest.raises(CannotAsk, match="reads something else"):
        call_by_langchain(
            pydantic.create_model("Arguments", payment=(inner, ...)),
            {"payment": {options.get("validation_alias", "amount"): 9999}}, client)
    assert client.asked == []


def test_arguments_are_shown_as_the_schema_reads_them_and_others_are_refused():
    pydantic = pytest.importorskip("pydantic")
    inner = pydantic.create_model("Payment", amount=(int, pydantic.Field(alias="sum")), note=(str, "none"))
    schema = pydantic.create_model("Arguments", payment=(inner, ...), day=(str, "today"))
    client = Countersign.fake()
    _, [ran] = call_by_langchain(schema, {"payment": {"sum": "5"}}, client)
    assert client.asked[0]["arguments"] == {"payment": {"sum": 5, "note": "none"}, "day": "today"}
    assert (ran["payment"].amount, ran["day"]) == (5, "today")
    message, ran = call_by_langchain(schema, {"payment": {"sum": 5}, "bcc": "Mallory"}, client)
    assert "no arguments bcc" in message.content and (ran, len(client.asked)) == ([], 1)
