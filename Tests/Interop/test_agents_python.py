"""Frameworks for agents, unmodified, with the package `countersign`: a tool runs once the person allowed exactly its call.

The models are scripted. The server and the phone are real.
"""

import asyncio
import contextlib
import datetime
import json
import os
import subprocess
import sys
import threading
import unittest

import fastmcp
from agents import Agent, Runner, RunConfig, function_tool
from countersign import Countersign, Policy, approve, calling, current
from countersign.adapters import fastmcp as fastmcp_adapter
from countersign.adapters import langchain as langchain_adapter
from countersign.adapters.llama_index import ApprovedTool
from countersign.adapters.mcp import ApprovedTools
from countersign.adapters.openai_agents import approved
from countersign.adapters.pydantic_ai import ApprovedToolset
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.tools import FunctionTool
from mcp.client.client import Client
from mcp.server.mcpserver import MCPServer
from pydantic_ai import Agent as PydanticAgent
from pydantic_ai.toolsets import FunctionToolset

from documents import ROOT
from programs import DEADLINE, Child, InteropTest, Server, eventually, run
from scripted_models import WORDS, OpenAIModel, langchain_model, llama_model, pydantic_model

AGENT_TOOLS = "urn:countersign:agent-tools"
YES, NO = "auth0|hanna", "auth0|tyrion"
PAYMENT = Policy("payment", headline="{amount} EUR", to="{payee}", user=YES)
REFUND = Policy("payment", headline="{amount} EUR", to="{payee}", user=NO)
BOTH = [("pay", {"amount": 99, "payee": "Hanna"}, "call-1"), ("refund", {"amount": 7, "payee": "Tyrion"}, "call-2")]


class AgentTest(InteropTest):
    """Two tools: the one's person allows, and the other's rejects."""

    USERS = (YES, NO)

    @classmethod
    def configuration(cls):
        configuration = super().configuration()
        # As the development tenant has it.
        stored = json.loads(run("countersign", "apply", "--print", "--data", cls.server.data))
        known = next(tenant for tenant in stored["tenants"] if tenant["id"] == "dev")["apis"]
        configuration["tenants"][0]["apis"].append(next(api for api in known if api["identifier"] == AGENT_TOOLS))
        return configuration

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if cls is not AgentTest:
            cls.countersign = Countersign(
                cls.issuer, cls.client_id, client_secret=cls.client_secret, ca=cls.server.authority)

    def setUp(self):
        self.ran = []

    def pay(self, amount: int, payee: str, day: str = "today") -> str:
        """Pays."""
        self.ran.append(("pay", amount, payee, day))
        return f"paid {amount} to {payee}"

    def refund(self, amount: int, payee: str) -> str:
        """Refunds."""
        self.ran.append(("refund", amount, payee))
        return "refunded"

    @contextlib.contextmanager
    def phones_answer(self, shown):
        """One phone allows and one rejects. `shown` gets what the first one showed."""
        def reject():
            self.phones[NO].answer("reject", "--reason", "too much")

        threads = [
            threading.Thread(target=lambda: shown.append(self.phones[YES].answer("allow"))), threading.Thread(target=reject)]
        for thread in threads:
            thread.start()
        yield
        for thread in threads:
            thread.join()

    def check(self, shown, says=WORDS):
        """The one call ran with what its person saw, and the other did not."""
        self.assertEqual(self.ran, [("pay", 99, "Hanna", "today")])
        self.assertEqual(shown[0]["headline"], ["99 EUR · Hanna"])
        detail = shown[0]["authorization_details"][0]
        self.assertEqual(detail["arguments"], {"amount": 99, "payee": "Hanna", "day": "today"})
        self.assertEqual(detail.get("says"), says)


class LangChain(AgentTest):
    def agent(self, **options):
        middleware = langchain_adapter.ApprovalMiddleware({"pay": PAYMENT, "refund": REFUND}, self.countersign, **options)
        return create_agent(
            langchain_model(BOTH, "done"), [tool(self.pay), tool(self.refund)], middleware=[middleware],
            checkpointer=InMemorySaver())

    def outcomes(self, result):
        return {message.name: message for message in result["messages"] if message.type == "tool"}

    def check_outcomes(self, result):
        outcomes = self.outcomes(result)
        self.assertEqual(outcomes["pay"].content, "paid 99 to Hanna")
        self.assertEqual(outcomes["refund"].status, "error")
        self.assertIn("'too much'", outcomes["refund"].content)
        self.assertEqual(result["messages"][-1].content, "done")

    def test_one_rejection_rejects_one_call(self):
        shown = []
        with self.phones_answer(shown):
            result = self.agent().invoke({"messages": [HumanMessage("Pay")]}, {"configurable": {"thread_id": "a"}})
        self.check_outcomes(result)
        self.check(shown)

    def test_the_same_in_an_event_loop(self):
        shown = []
        with self.phones_answer(shown):
            result = asyncio.run(self.agent().ainvoke(
                {"messages": [HumanMessage("Pay")]}, {"configurable": {"thread_id": "b"}}))
        self.check_outcomes(result)
        self.check(shown)

    def test_a_stopped_graph_goes_on_after_the_answers_and_rings_once(self):
        agent, thread, shown = self.agent(interrupts=True, hold=0), {"configurable": {"thread_id": "c"}}, []
        result = agent.invoke({"messages": [HumanMessage("Pay")]}, thread)
        self.assertEqual({each.value["waiting"] for each in result["__interrupt__"]}, {"pay", "refund"})
        self.assertTrue(all(self.issuer in each.value["approval_uri"] for each in result["__interrupt__"]))
        with self.phones_answer(shown):
            pass
        for _ in range(100):
            stops = agent.get_state(thread).interrupts
            if not stops:
                break
            result = agent.invoke(Command(resume={stop.id: True for stop in stops}), thread)
        self.check_outcomes(result)
        self.check(shown)

    def test_a_graph_without_an_agent_takes_the_same_for_its_tools(self):
        guard = langchain_adapter.ApprovalMiddleware({"pay": PAYMENT, "refund": REFUND}, self.countersign)

        def model(state):
            return {"messages": [AIMessage(WORDS, tool_calls=[
                {"name": name, "args": arguments, "id": call} for name, arguments, call in BOTH])]}

        graph = StateGraph(MessagesState)
        graph.add_node("model", model)
        graph.add_node("tools", ToolNode([tool(self.pay), tool(self.refund)], wrap_tool_call=guard.wrap_tool_call))
        graph.add_edge(START, "model")
        graph.add_edge("model", "tools")
        graph.add_edge("tools", END)
        shown = []
        with self.phones_answer(shown):
            result = graph.compile().invoke({"messages": []})
        self.assertEqual({name: each.status for name, each in self.outcomes(result).items()},
                         {"pay": "success", "refund": "error"})
        self.check(shown)


class OpenAIAgents(AgentTest):
    def test_one_rejection_rejects_one_call(self):
        model, shown = OpenAIModel(BOTH, "done"), []
        tools = [
            approved(function_tool(self.pay, strict_mode=False), PAYMENT, self.countersign),
            approved(function_tool(self.refund), REFUND, self.countersign)]
        agent = Agent("Agent", model=model, tools=tools)
        with self.phones_answer(shown):
            result = asyncio.run(Runner.run(agent, "Pay", run_config=RunConfig(tracing_disabled=True)))
        self.assertEqual(result.final_output, "done")
        heard = [item["output"] for item in model.heard[-1] if item.get("type") == "function_call_output"]
        self.assertEqual(heard[0], "paid 99 to Hanna")
        self.assertIn("rejected this call", heard[1])
        self.check(shown, says=None)


class PydanticAI(AgentTest):
    def test_one_rejection_rejects_one_call(self):
        toolset = ApprovedToolset(
            FunctionToolset([self.pay, self.refund]), {"pay": PAYMENT, "refund": REFUND}, self.countersign)
        agent, shown = PydanticAgent(pydantic_model(BOTH, "done"), toolsets=[toolset]), []
        with self.phones_answer(shown):
            result = agent.run_sync("Pay")
        self.assertEqual(result.output, "done")
        returned = {part.tool_name: part.content for message in result.all_messages() for part in message.parts
                    if part.part_kind == "tool-return"}
        self.assertEqual(returned["pay"], "paid 99 to Hanna")
        self.assertIn("'too much'", returned["refund"])
        self.check(shown)

    def test_the_person_sees_what_became_of_validated_arguments(self):
        def book(day: datetime.date, seats: int = 2) -> str:
            self.ran.append((day, seats))
            return "booked"

        policy = Policy("tool_call", headline="{seats} seats on {day}", user=YES)
        toolset = ApprovedToolset(FunctionToolset([book]), {"book": policy}, self.countersign)
        script = [("book", {"day": "2026-12-24"}, "call-1")]
        with self.phones[YES].watching("allow"):
            PydanticAgent(pydantic_model(script, "done"), toolsets=[toolset]).run_sync("Book")
        self.assertEqual(self.ran, [(datetime.date(2026, 12, 24), 2)])


class LlamaIndex(AgentTest):
    def test_one_rejection_rejects_one_call(self):
        tools = [ApprovedTool(FunctionTool.from_defaults(self.pay), PAYMENT, self.countersign),
                 ApprovedTool(FunctionTool.from_defaults(self.refund), REFUND, self.countersign)]
        shown, outputs = [], []

        async def run():
            agent = FunctionAgent(tools=tools, llm=llama_model(BOTH, "done"), streaming=False)
            result = await agent.run("Pay")
            outputs.extend(result.tool_calls)
            return str(result)

        with self.phones_answer(shown):
            self.assertEqual(asyncio.run(run()), "done")
        self.assertEqual([each.tool_output.is_error for each in sorted(outputs, key=lambda each: each.tool_id)],
                         [False, True])
        self.check(shown, says=None)


class ModelContextProtocol(AgentTest):
    def test_a_host_asks_before_it_calls_a_server(self):
        server, shown = MCPServer("Bank"), []
        server.tool()(self.pay)
        server.tool()(self.refund)

        async def run():
            async with Client(server) as session:
                tools = ApprovedTools(session, {"pay": PAYMENT, "refund": REFUND}, self.countersign)
                return await asyncio.gather(*(
                    tools.call_tool(name, arguments, call_id=f"host/{call}", says=WORDS) for name, arguments, call in BOTH))

        with self.phones_answer(shown):
            paid, refunded = asyncio.run(run())
        self.assertFalse(paid.is_error)
        self.assertTrue(refunded.is_error)
        self.assertIn("'too much'", refunded.content[0].text)
        self.check(shown)

    def test_a_server_takes_the_decorator(self):
        server = MCPServer("Bank")

        @server.tool()
        @approve("payment", headline="{amount} EUR", to="{payee}", user=YES, client=self.countersign)
        async def pay(amount: int, payee: str) -> str:
            return f"{amount} by the approval of {current().subject}"

        async def run():
            async with Client(server) as session:
                return await session.call_tool("pay", {"amount": 5, "payee": "Hanna"})

        with self.phones[YES].watching("allow"):
            self.assertEqual(asyncio.run(run()).content[0].text, f"5 by the approval of {YES}")


class FastMCP(AgentTest):
    def test_middleware_asks_for_the_named_tools(self):
        server, shown = fastmcp.FastMCP("Bank"), []
        server.tool(self.pay)
        server.tool(self.refund)

        @server.tool
        def balance() -> str:
            return "free"

        server.add_middleware(fastmcp_adapter.ApprovalMiddleware({"pay": PAYMENT, "refund": REFUND}, self.countersign))

        async def run():
            async with fastmcp.Client(server) as session:
                free = await session.call_tool("balance", {})
                return free, await asyncio.gather(*(
                    session.call_tool(name, arguments, raise_on_error=False) for name, arguments, _ in BOTH))

        with self.phones_answer(shown):
            free, (paid, refunded) = asyncio.run(run())
        self.assertEqual(free.data, "free")
        self.assertEqual(paid.data, "paid 99 to Hanna")
        self.assertTrue(refunded.is_error)
        self.assertIn("'too much'", refunded.content[0].text)
        self.check(shown, says=None)


class Functions(AgentTest):
    """The decorator alone, as agents without a framework use it."""

    def test_a_repeated_call_with_its_id_rings_once(self):
        @approve("tool_call", headline="Deploy {version}", user=YES, client=self.countersign)
        def deploy(version: str) -> str:
            return f"deployed {version}"

        with calling("call-4711", WORDS):
            first, again = deploy.call("1.4"), deploy.call("1.4")
        pending = first.start()
        self.assertEqual(again.start().auth_req_id, pending.auth_req_id)
        self.assertEqual(self.phones[YES].answer("allow")["authorization_details"][0]["says"], WORDS)
        self.assertEqual(again.resume(pending), "deployed 1.4")

    def test_a_withdrawn_request_leaves_the_phone(self):
        @approve("tool_call", headline="Deploy", user=YES, client=self.countersign)
        async def deploy() -> str:
            return "deployed"

        async def run():
            task = asyncio.create_task(deploy())
            await asyncio.sleep(1)
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

        asyncio.run(run())
        deploy_again = deploy.call()
        pending = deploy_again.start()
        # The phone has one request and not two.
        self.assertEqual(self.phones[YES].answer("reject")["id"], pending.request_id)

    def test_a_value_beyond_the_tenants_limits_is_refused_with_advice(self):
        @approve("tool_call", user=YES, client=self.countersign)
        def write(text: str) -> str:
            return text

        with self.assertRaisesRegex(Exception, "more than 255 characters.*as_digest"):
            write("a" * 256)

        @approve("tool_call", user=YES, as_digest=["text"], client=self.countersign)
        def write_long(text: str) -> int:
            return len(text)

        with self.phones[YES].watching("allow"):
            self.assertEqual(write_long("a" * 100_000), 100_000)

    def test_a_command_shows_its_folder(self):
        @approve("command", user=YES, client=self.countersign)
        def shell(command: str, folder: str) -> str:
            return command

        thread = threading.Thread(target=lambda: shell("rm -r build", "/src"))
        thread.start()
        detail = self.phones[YES].answer("allow")["authorization_details"][0]
        thread.join()
        self.assertEqual(detail, {"type": "command", "tool": "shell", "command": "rm -r build", "folder": "/src"})


# Asks, or resumes what another process asked. Each run is a line in the file `ran`.
PROCESS = """
import pathlib, sys
from countersign import CountersignError, Pending, approve

@approve("payment", headline="{amount} EUR")
def pay(amount: int) -> str:
    with open("ran", "a") as file:
        file.write(f"{amount}\\n")
    return "paid"

call, file = pay.call(99), pathlib.Path("pending.json")
if sys.argv[1] == "ask":
    file.write_text(call.start().to_json())
else:
    try:
        print(call.resume(Pending.from_json(file.read_text())))
    except CountersignError as error:
        print(type(error).__name__)
"""


class Restarts(unittest.TestCase):
    """A call that waits while client and server end and start again. Beside a development server nothing is set."""

    def setUp(self):
        self.server = Server()
        self.addCleanup(self.server.stop)
        self.phone = self.server.phone(self.server.development["user_id"])
        (self.server.folder / "process.py").write_text(PROCESS, encoding="utf-8")

    def process(self, word):
        return subprocess.Popen(
            [sys.executable, "process.py", word], cwd=self.server.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, env={**os.environ, "PYTHONPATH": str(ROOT / "Clients/Python/src")})

    def ask(self):
        """Asks in a process that ends. The server may need a moment to know the API."""
        def asked():
            process = self.process("ask")
            process.communicate(timeout=DEADLINE)
            return process.returncode == 0

        eventually(asked)

    def outcomes(self, processes):
        return sorted(process.communicate(timeout=DEADLINE)[0].strip() for process in processes)

    def ran(self):
        file = self.server.folder / "ran"
        return file.read_text(encoding="utf-8").split() if file.exists() else []

    def test_a_call_that_waits_over_restarts_of_client_and_server_runs_once(self):
        self.ask()
        # Waits while the server is away, and goes on when it is back.
        waiting = self.process("resume")
        self.server.process.kill()
        self.server.process.wait(DEADLINE)
        again = Child("countersign", "serve", "--data", self.server.data, "--port", self.server.port, "--metrics-port", "none")
        self.addCleanup(again.stop)
        again.line(lambda line: line.startswith("Countersign listens on "))
        self.phone.answer("allow")
        self.assertEqual(self.outcomes([waiting]), ["paid"])
        self.assertEqual(self.outcomes([self.process("resume")]), ["CannotAsk"])
        self.assertEqual(self.ran(), ["99"])

    def test_of_processes_that_resume_one_call_one_runs(self):
        self.ask()
        processes = [self.process("resume") for _ in range(4)]
        self.phone.answer("allow")
        self.assertEqual(self.outcomes(processes), ["CannotAsk"] * 3 + ["paid"])
        self.assertEqual(self.ran(), ["99"])
