"""The verifiers of docs/receipts.md, of the package `countersign` and of `countersign receipt verify`, on every vector."""

import base64
import concurrent.futures
import hashlib
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import types
import unittest

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
from countersign.receipts import InvalidReceipt, verify
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


HEADER = b'{"alg":"ES256","typ":"approval-receipt+jwt","kid":"shop-es256"}'
PIECES = [
    b'"', b"\\", b"\\u0000", b"\\ud83d", b"1e5", b"-0", b"1.0", b"null", b"{}", b"[]", b",", b":", b" ", b"\x0b",
    "\u00a0".encode(), "\ufeff".encode(), "\u212a".encode(), "\u00e9".encode(), "e\u0301".encode(), b"\xed\xa0\x80",
    b'"x":1,', b"0", b"9", b"Z", b"+00:00", b"\x00", b"\\/", b"NaN", b"=", b"_", b"99999999999999999999"]


class Forger:
    """Signs changed receipts and answers with the vectors' own keys."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.shop, self.phone = (
            ec.derive_private_key(
                int.from_bytes(hashlib.sha256(f"receipt vectors: {name}".encode()).digest(), "big"), ec.SECP256R1())
            for name in ("shop", "phone"))

    @staticmethod
    def sign(header, payload, key):
        def encoded(data):
            return base64.urlsafe_b64encode(data).rstrip(b"=")

        text = encoded(header) + b"." + encoded(payload)
        pair = utils.decode_dss_signature(key.sign(text, ec.ECDSA(hashes.SHA256())))
        return (text + b"." + encoded(b"".join(number.to_bytes(32, "big") for number in pair))).decode()

    def changed(self, data):
        place, piece = self.random.randrange(len(data)), self.random.choice(PIECES)
        removed = self.random.choice([0, 0, 1, len(piece)])
        return data[:place] + piece + data[place + removed:]

    def receipt(self, payload, decode):
        """A receipt whose payload, record or answer has one change, below signatures and digests that fit."""
        claims = json.loads(payload)
        change = self.random.choice(["payload", "record", "answer"])
        if change == "payload" or "answer" not in claims:
            return self.sign(HEADER, self.changed(payload), self.shop)
        answer = json.loads(decode(claims["answer"].split(".")[1]))
        if change == "record":
            claims["record"] = self.changed(claims["record"].encode()).decode(errors="replace")
            digest = hashlib.sha256(claims["record"].encode()).digest()
            claims["request_digest"] = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
            answer["request_digest"] = claims["request_digest"]
        text = json.dumps(answer).encode()
        claims["answer"] = self.sign(
            b'{"alg":"ES256","typ":"JWT"}', self.changed(text) if change == "answer" else text, self.phone)
        return self.sign(HEADER, json.dumps(claims).encode(), self.shop)


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

    def by_package(self, receipt, issuer):
        try:
            verify(receipt, self.document["jwks"], issuer)
        except InvalidReceipt as broken:
            return broken.rule
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
                self.assertEqual(self.by_package(*arguments), vector["rule"])
                rules.add(vector["rule"])
        self.assertEqual(len(rules), 28)

    def test_signed_changes_agree(self):
        """An issuer and a device that sign anything: both verifiers still accept and refuse the same."""
        names = ["valid-user-verified-es256", "valid-signed-digest-es256", "valid-numbers-as-spelt", "valid-unicode", "valid-session"]
        payloads = [
            self.verifier.decode(vector["receipt"].split(".")[1]) for vector in self.document["vectors"]
            if vector["name"] in names]
        forger, issuer = Forger(1), self.document["vectors"][0]["issuer"]
        receipts = [forger.receipt(payload, self.verifier.decode) for payload in payloads for _ in range(100)]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(lambda receipt: self.by_command(receipt, issuer), receipts))
        for receipt, answer in zip(receipts, answers):
            self.assertEqual(self.by_python(receipt, issuer) is None, answer is None, (receipt, answer))
            self.assertEqual(self.by_package(receipt, issuer) is None, answer is None, (receipt, answer))
        self.assertGreater(answers.count(None), 10)

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
