"""docs/agents.md and the examples: their snippets run in order and print what the documents say."""

import os
import re
import shutil
import unittest

from countersign import CannotAsk, Countersign, Question

import test_approvals
from documents import ROOT, snippets
from programs import Server, eventually

GUIDE = "agents.md"
MODELS = """\
import json
import scripted_models

script = [("pay", {"amount": 25, "payee": "Hanna"}, "call-1")], "Done: paid 25 to Hanna"
langchain_model = scripted_models.langchain_model(*script)
openai_model = scripted_models.OpenAIModel(*script)
pydantic_model = scripted_models.pydantic_model(*script)
llama_model = scripted_models.llama_model(*script)
"""


class AgentsSnippets(test_approvals.Snippets):
    guide = GUIDE
    test_the_swift_program_asks_and_verifies = None

    def started(self):
        server = Server()
        (server.folder / "models.py").write_text(MODELS, encoding="utf-8")
        development = server.development
        client = Countersign(
            development["issuer"], development["client_id"], client_secret=development["client_secret"],
            user=development["user_id"], ca=server.authority)
        # Without a phone, a start is refused for that reason as soon as the server knows the API.
        eventually(lambda: self.refusal(client) == "invalid_request")
        return server

    @staticmethod
    def refusal(client):
        from countersign._http import drive
        try:
            drive(client.start_flow(Question({"type": "tool_call", "tool": "a", "arguments": {}}, "a"), "a"), client.transport)
        except CannotAsk as refused:
            return refused.code

    def variables(self):
        return {"PYTHONPATH": os.pathsep.join(map(str, (ROOT / "Clients/Python/src", ROOT / "Tests/Interop"))),
                "PYTEST_PLUGINS": "countersign.pytest_plugin", "PYTHONWARNINGS": "ignore"}


class Examples(AgentsSnippets):
    """Each example's README, with its files."""

    def test_the_snippets_run_in_order_and_print_what_the_document_says(self):
        phone = next(block.text for block in snippets(GUIDE) if block.words == ["phone"])
        self.phone.run(phone.rstrip("\n"))
        self.run_in_shell(next(block.text for block in snippets(GUIDE) if block.words == ["run"]), [])
        examples = sorted(path.parent for path in (ROOT / "examples").glob("*/README.md"))
        self.assertGreater(len(examples), 2)
        for example in examples:
            with self.subTest(example.name):
                for file in example.iterdir():
                    shutil.copy(file, self.server.folder)
                self.guide = f"../examples/{example.name}/README.md"
                super().test_the_snippets_run_in_order_and_print_what_the_document_says()


class Promises(unittest.TestCase):
    def test_two_lines_lead_to_the_first_approval(self):
        first = next(block.text for block in snippets(GUIDE) if block.words == ["first.py"])
        own = re.sub(r"^(from countersign import .*|@approve\(.*\))\n", "", first, flags=re.MULTILINE)
        self.assertEqual(first.count("\n") - own.count("\n"), 2)
        printed = []
        exec(compile(own.replace("print(", "printed.append("), "first.py", "exec"), {"printed": printed})
        self.assertEqual(printed, ["paid 25 EUR to Hanna"])

    def test_five_frameworks_need_less_than_25_lines_each(self):
        samples = {block.words[0]: block.text for block in snippets(GUIDE)
                   if block.language == "python" and block.words[0].startswith("with_")}
        self.assertEqual(len(samples), 5)
        for name, text in samples.items():
            self.assertLess(text.count("\n"), 25, name)

    def test_adapters_have_at_most_150_lines(self):
        for file in (ROOT / "Clients/Python/src/countersign/adapters").glob("*.py"):
            self.assertLessEqual(file.read_text(encoding="utf-8").count("\n"), 150, file.name)

    def test_the_packages_to_install_are_those_that_the_samples_are_tested_with(self):
        line = next(block.text for block in snippets(GUIDE) if block.words == ["install"]).splitlines()[-1]
        pinned = (ROOT / "Tests/Interop/requirements-agents.txt").read_text(encoding="utf-8").lower()
        for name in line.split(" install Clients/Python ")[1].split():
            self.assertIn(f"\n{name}==", pinned)

    def test_the_guide_is_first_in_the_table_of_the_README(self):
        table = (ROOT / "README.md").read_text(encoding="utf-8").split("| to | read |\n|---|---|\n")[1]
        self.assertIn("docs/agents.md", table.splitlines()[0])
