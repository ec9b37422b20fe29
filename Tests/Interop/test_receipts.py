"""The verifier of docs/receipts.md and `countersign receipt verify`, on every vector."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest

from programs import DEADLINE, PROGRAMS

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def published_verifier():
    """The fenced block of the document, as a module."""
    text = (ROOT / "docs/receipts.md").read_text(encoding="utf-8")
    blocks = text.split("\n```python\n")[1:]
    if len(blocks) != 1:
        raise AssertionError(f"docs/receipts.md has {len(blocks)} blocks of Python")
    module = types.ModuleType("verify")
    exec(compile(blocks[0].split("\n```\n")[0], "docs/receipts.md", "exec"), module.__dict__)
    return module


class ReceiptTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.document = json.loads((ROOT / "docs/receipts/vectors.json").read_text(encoding="utf-8"))
        cls.verifier = published_verifier()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.keys = pathlib.Path(folder.name) / "jwks.json"
        cls.keys.write_text(json.dumps(cls.document["jwks"]), encoding="utf-8")

    def by_python(self, receipt, issuer):
        try:
            self.verifier.verify(receipt, self.verifier.parse(self.keys.read_bytes()), issuer)
        except self.verifier.Invalid as broken:
            return str(broken)
        return None

    def by_command(self, receipt, issuer):
        done = subprocess.run(
            [PROGRAMS / "countersign", "receipt", "verify", "-", "--jwks", self.keys, "--issuer", issuer, "--json"],
            input=receipt.encode(), capture_output=True, timeout=DEADLINE, check=False)
        answer = json.loads(done.stdout)
        self.assertEqual(done.returncode, 0 if answer["valid"] else 1, done.stderr)
        return answer.get("rule")

    def test_all_vectors_agree(self):
        rules = set()
        for vector in self.document["vectors"]:
            with self.subTest(vector["name"]):
                arguments = vector["receipt"], vector["issuer"]
                self.assertEqual(self.by_python(*arguments), vector["rule"])
                self.assertEqual(self.by_command(*arguments), vector["rule"])
                rules.add(vector["rule"])
        self.assertEqual(len(rules), 23)

    def test_changed_bytes_agree(self):
        """Each byte of a valid receipt, changed. Python alone, because Swift's tests do the same."""
        vector = next(vector for vector in self.document["vectors"] if vector["name"] == "valid-session")
        receipt = vector["receipt"]
        self.assertIsNone(self.by_python(receipt, vector["issuer"]))
        for position, character in enumerate(receipt):
            changed = receipt[:position] + chr(ord(character) ^ 1) + receipt[position + 1:]
            self.assertIsNotNone(self.by_python(changed, vector["issuer"]), position)

    def test_the_block_is_a_program(self):
        """As the document says: the receipt on standard input, with or without a line feed at its end."""
        vector = next(vector for vector in self.document["vectors"] if vector["name"] == "valid-unicode")
        text = (ROOT / "docs/receipts.md").read_text(encoding="utf-8").split("\n```python\n")[1].split("\n```\n")[0]
        program = self.keys.parent / "verify.py"
        program.write_text(text, encoding="utf-8")
        environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
        for receipt, status in (vector["receipt"], 0), (vector["receipt"] + "\n", 0), (vector["receipt"] + "\n\n", 1):
            done = subprocess.run(
                [sys.executable, program, self.keys, vector["issuer"]], input=receipt.encode(), capture_output=True,
                timeout=DEADLINE, env=environment, check=False)
            self.assertEqual(done.returncode, status, done.stderr)
