"""docs/approvals.md: its snippets run in order and print what it says, and its tables are complete."""

import importlib.metadata
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import requests

from documents import ROOT, PhoneTerminal, Shell, document, environment, matches, pattern, rows, snippets, squeezed
from programs import AUDIENCE, CIBA, PROGRAMS, InteropTest, Server, free_port, get

GUIDE = "approvals.md"


class Snippets(unittest.TestCase):
    """The words behind a fence say how to run a snippet:

    - `sh run` is typed in the reader's terminal. `asks`, `allow`, `reject` and `gone` say what happens on the phone
      meanwhile, `allowed` what happened before, and `eventually` that the server needs a moment.
    - `sh phone` is typed in the phone's terminal. `sh server` and `sh install` are checked by other tests.
    - `json` and `text` are the output of the snippet before, and `text phone` is what the phone shows.
    - `python NAME` and `typescript NAME` are files.
    - `swift` is a program, in all such snippets together.
    """

    guide = GUIDE

    def setUp(self):
        self.server = self.started()
        self.addCleanup(self.server.stop)
        folder = self.server.folder
        (folder / ".venv").symlink_to(sys.prefix)
        variables = environment(folder, PROGRAMS, API_PORT=str(free_port()), **self.variables())
        self.shell, self.phone = Shell(folder, variables), PhoneTerminal(folder, variables)
        self.addCleanup(self.shell.close)
        self.addCleanup(self.phone.close)

    def started(self):
        return Server()

    def variables(self):
        """Variables of the reader's terminals that the document does not set."""
        return {}

    def run_in_shell(self, text, happens):
        if "allowed" in happens:
            self.phone.ends(("allowed",), typing="y\n")
        self.shell.type(text)
        for word in happens:
            match word:
                case "asks": self.phone.asks()
                case "allow": self.phone.ends(("allowed",), typing="y\n")
                case "reject": self.phone.ends(("rejected",), typing="n\n")
                case "gone": self.phone.ends(("expired", "withdrawn"))
                case "allowed" | "eventually": pass
                case _: self.fail(f"the word {word} has no meaning")
        return self.shell.output()

    def test_the_snippets_run_in_order_and_print_what_the_document_says(self):
        output, ran, swift = None, None, False
        for snippet in snippets(self.guide):
            match snippet.language, snippet.words:
                case "sh", ["run", *happens]:
                    swift = False
                    ran = snippet
                    output = self.run_in_shell(snippet.text, happens)
                case "sh", ["phone"]: self.phone.run(snippet.text.rstrip("\n"))
                case "sh", ["server" | "install"]: pass
                case "sh", []: ran = None
                case "text", ["phone"]: self.assertRegex(squeezed(self.phone.text), pattern(snippet.text))
                case "python" | "typescript", [name]: (self.server.folder / name).write_text(snippet.text)
                case "swift", []: swift = True
                case "json" | "text", [] if not swift:
                    if ran and "eventually" in ran.words:
                        output = self.repeated(ran, snippet.text, output)
                    if ran:
                        self.compare(output, snippet.text, ran)
                case "json" | "text" | "", []: pass
                case _: self.fail(f"no test runs {snippet}")

    def compare(self, output, promised, ran):
        self.assertTrue(matches(output, promised), f"{ran.text}\nprinted\n{output}\nand not\n{promised}")

    def repeated(self, ran, promised, output):
        """The output of a snippet, repeated until it is what the document promises or the server has had its time."""
        for _ in range(200):
            if matches(output, promised):
                break
            output = self.run_in_shell(ran.text, [])
        return output

    def test_the_swift_program_asks_and_verifies(self):
        blocks = snippets(GUIDE)
        promised = "".join(
            after.text for block, after in zip(blocks, blocks[1:])
            if block.language == "swift" and after.language == "text")
        swift = next(block for block in blocks if block.language == "swift")
        program = self.server.folder / "program"
        script = ROOT / "scripts" / "check-snippets.py"
        subprocess.run([sys.executable, script, "--build", ROOT / "docs" / GUIDE, program], check=True, timeout=300)
        shell = [block for block in blocks if block.language == "sh"]
        self.phone.run(next(block.text for block in shell if block.words == ["phone"]).rstrip("\n"))
        self.run_in_shell(next(block.text for block in shell if block.words == ["run"]), [])
        self.compare(self.run_in_shell(str(program), ["allow"]), promised, swift)


class Words(unittest.TestCase):
    def test_every_snippet_runs_or_says_that_it_cannot_yet(self):
        blocks = snippets(GUIDE)
        for block in blocks:
            if block.language == "sh" and not block.words:
                self.assertIn("Idempotency-Key", block.text)
        self.assertGreater(sum(block.language == "sh" and "run" in block.words for block in blocks), 15)
        make = next(block.text for block in blocks if block.words == ["server"]).split()
        targets = subprocess.run(["make", "-n", *make[1:]], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        self.assertIn('countersign" serve', targets)

    def test_the_packages_to_install_are_those_that_the_samples_are_tested_with(self):
        line = next(block.text for block in snippets(GUIDE) if block.words == ["install"]).splitlines()[-1]
        pinned = (ROOT / "Tests" / "Interop" / "requirements.txt").read_text(encoding="utf-8").lower()
        names = [re.sub(r"\[.*?\]|'", "", name) for name in line.split(" install ")[1].split()]
        for name in names:
            self.assertIn(f"\n{name}==", pinned)
        imported = set(re.findall(
            r"^(?:import|from) (\w+)", "\n".join(block.text for block in snippets(GUIDE) if block.language == "python"),
            re.MULTILINE)) - set(sys.stdlib_module_names) - {"approval"}
        packages = importlib.metadata.packages_distributions()
        # LangGraph requires langchain-core.
        provided = [
            {package.lower() for package in packages[module]} & set(names) for module in imported - {"langchain_core"}]
        self.assertTrue(all(provided), imported)
        self.assertEqual(set.union(*provided), set(names))

    def test_the_file_of_authorities_has_the_systems_and_the_servers(self):
        text = next(block.text for block in snippets(GUIDE) if "REQUESTS_CA_BUNDLE" in block.text)
        system = pathlib.Path("/etc/ssl/certs/ca-certificates.crt").read_text(encoding="ascii")
        with tempfile.TemporaryDirectory() as folder:
            authority = pathlib.Path(folder) / "ca.pem"
            authority.write_text("the server's\n", encoding="ascii")
            output = subprocess.run(
                ["bash", "-ec", text + 'cat "$REQUESTS_CA_BUNDLE"; [ "$SSL_CERT_FILE" = "$REQUESTS_CA_BUNDLE" ]'],
                cwd=folder, env={**os.environ, "CA": str(authority)}, capture_output=True, text=True, check=True).stdout
        self.assertEqual(output, system + "the server's\n")


class Tables(InteropTest):
    USERS = ("auth0|hanna", "auth0|tyrion", "auth0|many", "auth0|named")

    @classmethod
    def configuration(cls):
        configuration = super().configuration()
        tenant = configuration["tenants"][0]
        named = next(user for user in tenant["users"] if user["user_id"] == "auth0|named")
        named |= {
            "email": "hanna@example.com", "email_verified": True, "phone_number": "+41441234567", "phone_verified": True}
        tenant["clients"] += [
            {"client_id": "no-grant", "name": "No grant", "client_secret": cls.client_secret,
             "grant_types": ["client_credentials"]},
        ]
        return configuration

    def post(self, path, **parameters):
        form = {"client_id": self.client_id, "client_secret": self.client_secret, **parameters}
        return requests.post(
            f"{self.issuer}{path}", timeout=30, data={name: value for name, value in form.items() if value is not None})

    def start(self, **parameters):
        return self.post("bc-authorize", **{
            "login_hint": self.hint("auth0|hanna"), "binding_message": "Order 4711", "scope": "openid",
            "requested_expiry": "60", **parameters})

    def poll(self, auth_req_id, **parameters):
        return self.post("oauth/token", **{"grant_type": CIBA, "auth_req_id": auth_req_id, **parameters})

    def pending(self, **parameters):
        answer = self.start(**parameters)
        self.assertEqual(answer.status_code, 200, answer.text)
        return answer.json()["auth_req_id"]

    def many(self):
        """The first answer that refuses another request for a user."""
        return next(answer for answer in iter(lambda: self.start(login_hint=self.hint("auth0|many")), None)
                    if not answer.ok)

    def refusals_of_starts(self):
        yield self.start(binding_message=None)
        yield self.start(binding_message="Order 4711!")
        yield self.start(login_hint=self.hint("auth0|nobody"))
        yield self.start(scope="öffne")
        yield self.start(audience="https://unknown.example.com")
        yield self.start(audience=AUDIENCE, authorization_details="[]")
        yield self.start(client_id="no-grant")
        yield self.start(client_secret="another")
        yield self.many()
        yield self.post("bc-authorise")
        yield requests.get(f"{self.issuer}bc-authorize", timeout=30)

    def refusals_of_polls(self):
        request = self.pending(login_hint=self.hint("auth0|tyrion"))
        yield self.poll(request)
        yield self.poll(request)
        self.phones["auth0|tyrion"].answer("reject")
        yield self.poll(request)
        yield requests.post(f"{self.issuer}oauth/token", timeout=30, headers={"Prefer": "wait=20"}, data={
            "grant_type": CIBA, "auth_req_id": self.pending(requested_expiry="1"), "client_id": self.client_id,
            "client_secret": self.client_secret})
        yield self.poll("unknown")
        yield self.poll(None)
        yield self.poll(request, grant_type="ciba")
        yield self.poll(request, client_id="no-grant")
        yield self.poll(request, client_secret="another")
        yield self.post("oauth/tokens")
        yield requests.get(f"{self.issuer}oauth/token", timeout=30)

    def test_the_table_of_errors_has_every_refusal_with_its_status(self):
        table = {
            (place, error.strip("`")): int(status) for error, status, places, *_ in rows(GUIDE, "Errors")
            for place in places.split(", ")}
        seen = {
            (place, answer.json()["error"]): answer.status_code
            for place, answers in (("start", self.refusals_of_starts()), ("poll", self.refusals_of_polls()))
            for answer in answers}
        # Nothing outside makes a server fail, and nobody here has an address that refuses mail.
        failures = {
            key: status for key, status in table.items() if key[1] in (
                "server_error", "temporarily_unavailable", "transaction_failed")}
        self.assertEqual(len(failures), 5)
        self.assertEqual(table, seen | failures)

    def test_the_table_of_parameters_has_those_of_the_OpenAPI_document(self):
        described = json.loads(get(f"{self.issuer}openapi.json")[1])["paths"]["/bc-authorize"]["post"]["requestBody"]
        names = next(iter(described["content"].values()))["schema"]["properties"].keys()
        table = {name for cells in rows(GUIDE, "The request") for name in re.findall(r"`(\w+)`", cells[0] + cells[2])}
        self.assertLessEqual(set(names), table)

    def test_the_refused_parameters_are_refused_and_others_are_ignored(self):
        names = re.search(r"^`request`, .*? are parameters", document(GUIDE), re.MULTILINE | re.DOTALL)[0]
        for name in re.findall(r"`(\w+)`", names):
            self.assertEqual(self.start(**{name: "x"}).json().get("error"), "invalid_request", name)
        self.assertTrue(self.start(login_hint=self.hint("auth0|tyrion"), acr_values="x", display="x").ok)
        self.phones["auth0|tyrion"].answer("reject")

    def test_every_form_of_the_table_names_the_user(self):
        forms = [form.strip("`") for form, _ in rows(GUIDE, "Name the person")]
        self.assertEqual(len(forms), 5)
        for form in forms:
            hint = form.replace(r"auth0\|65f0…", "auth0|named").replace("https://id.example.com/", self.issuer)
            answer = self.start(login_hint=hint, binding_message="Your name")
            self.assertEqual(answer.status_code, 200, f"{hint}: {answer.text}")
            self.assertEqual(self.phones["auth0|named"].answer("reject")["binding_message"], "Your name", hint)
