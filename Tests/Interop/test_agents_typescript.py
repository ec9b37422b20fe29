"""The client for TypeScript against the real server and phone: docs/agents-typescript.md, its example, and its rules."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from documents import ROOT, PhoneTerminal, Shell, environment, matches, pattern, snippets, squeezed
from programs import CIBA, DEADLINE, PROGRAMS, Child, InteropTest, Server, eventually, free_port, run

GUIDE = "agents-typescript.md"
CLIENT = ROOT / "Clients" / "TypeScript"
PACKAGE = ROOT / ".build" / "typescript" / "countersign.tgz"
AGENT_TOOLS = "urn:countersign:agent-tools"
EXAMPLE = ROOT / "examples" / "typescript-invoices"

# Frameworks that no registry within reach has: their documented shapes, with a scripted model.
FRAMEWORKS = {
    "ai": """
import { generateText as generate, toolCall } from "./frameworks.mjs";
export const tool = definition => definition;
export async function generateText({ tools }) {
  const input = { amount: 2500, payee: "Hanna Herwitz" };
  const { content } = await generate({ tools, calls: [toolCall("call_1", "pay", input)] });
  return { content, toolResults: content.filter(({ type }) => type === "tool-result") };
}""",
    "@openai/agents": """
import { functionTool, run as runAgent } from "./frameworks.mjs";
export const tool = functionTool;
export class Agent { constructor(options) { Object.assign(this, options); } }
export async function run(agent, input) {
  const calls = [{ id: "call_2", name: "pay", args: { amount: 2500, payee: "Hanna Herwitz" } }];
  const result = await runAgent(agent, typeof input === "string" ? calls : input);
  return { ...result, finalOutput: result.outputs.call_2 };
}""",
    "@modelcontextprotocol/sdk": """
import { McpServer as Server } from "./frameworks.mjs";
export class StdioServerTransport {}
export class McpServer extends Server {
  constructor() { super({ client: () => ({ action: "accept" }) }); }
  async connect() {
    const { content } = await this.callTool("pay", { amount: 2500, payee: "Hanna Herwitz" });
    console.log(content[0].text);
  }
}""",
    "zod": """
const kind = () => ({ optional: kind });
export const z = { object: kind, number: kind, string: kind };""",
}


def install(folder):
    """Installs the package as npm does, and the stand-ins of the frameworks."""
    modules = folder / "node_modules"
    (modules / "countersign").mkdir(parents=True)
    subprocess.run(
        ["tar", "-xzf", PACKAGE, "-C", modules / "countersign", "--strip-components=1"], check=True, timeout=DEADLINE)
    for name, source in FRAMEWORKS.items():
        package = modules / name
        package.mkdir(parents=True)
        (package / "index.js").write_text(source, encoding="utf-8")
        shutil.copy(CLIENT / "tests" / "frameworks.mjs", package)
        exports = {path: "./index.js" for path in (".", "./server/mcp.js", "./server/stdio.js")}
        (package / "package.json").write_text(json.dumps({"name": name, "type": "module", "exports": exports}))
    shutil.copy(CLIENT / "tests" / "frameworks.d.ts", folder)


def built():
    subprocess.run([ROOT / "scripts" / "build-typescript"], check=True, timeout=120)


class Guide(unittest.TestCase):
    """The snippets of the guide. The words behind a fence have the meaning that they have in docs/approvals.md. `sh api` is
    typed unless the server has the API, and `rejects` says that two requests are rejected."""

    @classmethod
    def setUpClass(cls):
        built()

    def setUp(self):
        self.server = Server()
        self.addCleanup(self.server.stop)
        self.folder = self.server.folder
        install(self.folder)
        variables = environment(self.folder, PROGRAMS)
        self.shell, self.phone = Shell(self.folder, variables), PhoneTerminal(self.folder, variables)
        self.addCleanup(self.shell.close)
        self.addCleanup(self.phone.close)
        self.shell.type("export PATH=$PWD/.build/release:$PATH")
        self.shell.output()
        eventually(self.knows_the_types)

    def knows_the_types(self):
        """The development tenant has them."""
        script = self.folder / "probe.mjs"
        script.write_text("""
            import { Countersign } from "countersign";
            // Nobody has a phone yet, so nothing rings.
            const error = await new Countersign().ask({ type: "tool_call", tool: "probe", arguments: {} }).catch(error => error);
            process.exit(error.code === "invalid_request" ? 0 : 1);""", encoding="utf-8")
        return subprocess.run(
            ["node", script], cwd=self.folder, env=environment_without(self.folder), capture_output=True, check=False,
            timeout=DEADLINE).returncode == 0

    def typed(self, text, happens):
        self.shell.type(text)
        for word in happens:
            match word:
                case "allow": self.phone.ends(("allowed",), typing="y\n")
                case "rejects": self.reject_two()
                case _: self.fail(f"the word {word} has no meaning")
        return self.shell.output()

    def reject_two(self):
        """Rejects two requests, which the phone shows together if both were there in time."""
        begin = len(self.phone.text)
        self.phone.ends(("rejected",), typing="n\n")
        answered = False

        def both():
            nonlocal answered
            seen = self.phone.text[begin:]
            if not answered and re.search(r"rejected cns_.*Allow[^\n]*\?", seen, re.DOTALL):
                self.phone.type("n\n")
                answered = True
            return seen.count("rejected cns_") == 2

        eventually(both)
        self.phone.expect("rejected cns_")

    def test_the_snippets_run_in_order_and_print_what_the_document_says(self):
        output, ran, count = None, None, 0
        for snippet in snippets(GUIDE):
            match snippet.language, snippet.words:
                case "sh", ["run", *happens]:
                    count += 1
                    ran, output = snippet, self.typed(snippet.text.replace("tsc ", "tsc frameworks.d.ts "), happens)
                case "sh", ["phone"]: self.phone.run(snippet.text.rstrip("\n"))
                case "sh", ["server" | "install"]: pass
                case "text", ["phone"]: self.assertRegex(squeezed(self.phone.text), pattern(snippet.text))
                case "typescript", [name]: (self.folder / name).write_text(snippet.text, encoding="utf-8")
                case "text", []:
                    self.assertTrue(matches(output, snippet.text), f"{ran.text}\nprinted\n{output}\nand not\n{snippet.text}")
                case _: self.fail(f"no test runs {snippet}")
        self.assertGreater(count, 7)

    def test_a_registered_type_of_ones_own_runs(self):
        create = next(each.text for each in snippets("approvals.md") if "travel.example.com" in each.text)
        self.typed(create, [])
        self.phone.run(next(each.text for each in snippets(GUIDE) if each.words == ["phone"]).rstrip("\n"))
        script = next(each for each in snippets(GUIDE) if each.words == ["book.mts"])
        (self.folder / "book.mts").write_text(script.text, encoding="utf-8")
        self.typed("tsc --strict --target es2022 --module node16 book.mts", [])
        refused = '({ from: "ZRH", to: "Rome", price: 1 })'
        text = (self.folder / "book.mjs").read_text(encoding="utf-8")
        (self.folder / "refused.mjs").write_text(text.replace('({ from: "ZRH", to: "FCO", price: 250 })', refused))
        seen = eventually(lambda: self.refused_by_the_schema("node refused.mjs 2>&1 || true"))
        self.assertIn("CannotAsk", seen)
        output = self.typed("node book.mjs", ["allow"])
        self.assertRegex(output, r"^booked ZRH to FCO for 250, approved by auth0\|")

    def refused_by_the_schema(self, command):
        output = self.typed(command, [])
        return output if "to must match the pattern" in output else None


def environment_without(folder, **more):
    """Variables without settings of a client."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("COUNTERSIGN_", "NODE_"))}
    return {**kept, **more}


class Words(unittest.TestCase):
    def test_the_first_approval_takes_two_lines_of_setting_up(self):
        lines = next(each.text for each in snippets(GUIDE) if each.words == ["first.mts"]).splitlines()
        self.assertEqual(lines[0], 'import { approve } from "countersign";')
        self.assertTrue(lines[1].startswith('const pay = approve("payment", ') and lines[1].endswith("{"), lines[1])

    def test_each_framework_takes_less_than_25_lines(self):
        frameworks = [each for each in snippets(GUIDE) if each.words and each.words[0].startswith("with-")]
        self.assertEqual(len(frameworks), 3)
        for each in frameworks:
            self.assertLess(len(each.text.splitlines()), 25, each.words)


class Rules(InteropTest):
    USERS = ("auth0|agents",)
    KEYS = {
        "p256": ("EC", "ec_paramgen_curve:P-256"), "p384": ("EC", "ec_paramgen_curve:P-384"), "ed25519": ("ED25519", None),
        "rsa": ("RSA", "rsa_keygen_bits:2048"),
    }

    @classmethod
    def setUpClass(cls):
        built()
        cls.scripts = pathlib.Path(tempfile.mkdtemp(prefix="countersign-typescript-"))
        cls.addClassCleanup(shutil.rmtree, cls.scripts)
        install(cls.scripts)
        for name, (kind, option) in cls.KEYS.items():
            subprocess.run(
                ["openssl", "genpkey", "-algorithm", kind, *(["-pkeyopt", option] if option else []), "-out",
                 cls.scripts / f"{name}.pem"], check=True, capture_output=True, timeout=DEADLINE)
        super().setUpClass()

    @classmethod
    def public(cls, name):
        return subprocess.run(
            ["openssl", "pkey", "-in", cls.scripts / f"{name}.pem", "-pubout"], check=True, capture_output=True, text=True,
            timeout=DEADLINE).stdout

    @classmethod
    def configuration(cls):
        configuration = super().configuration()
        tenant = configuration["tenants"][0]
        details = [{"type": name} for name in ("tool_call", "payment", "command")]
        tenant["apis"] += [
            {"identifier": AGENT_TOOLS, "name": "Agent tools", "authorization_details": details, "approval_in_tokens": True},
            *({"identifier": f"urn:example:{algorithm}-{dialect}", "name": algorithm, "authorization_details": details,
               "signing_alg": algorithm, "token_dialect": dialect}
              for algorithm in ("RS256", "PS256", "ES256", "EdDSA") for dialect in ("access_token", "rfc9068_profile")),
        ]
        tenant["clients"] += [
            {"client_id": f"key-{name}", "name": name, "grant_types": [CIBA], "client_authentication_methods": {
                "private_key_jwt": {"credentials": [{"name": name, "pem": cls.public(name)}]}}}
            for name in cls.KEYS]
        return configuration

    def variables(self, **more):
        return environment_without(self.scripts, **{
            "COUNTERSIGN_ISSUER": self.issuer, "COUNTERSIGN_CLIENT_ID": self.client_id,
            "COUNTERSIGN_CLIENT_SECRET": self.client_secret, "COUNTERSIGN_USER": "auth0|agents",
            "COUNTERSIGN_CA": str(self.server.authority), **more})

    def node(self, source, *decisions, **variables):
        """The output of a program, while the person answers."""
        script = self.scripts / "script.mjs"
        script.write_text(f"""
            import {{ approve, CannotAsk, Changed, Countersign, NobodyAnswered, Rejected }} from "countersign";
            const rules = {{ headline: ({{ amount }}) => `${{amount}} USD`, to: ({{ payee }}) => payee }};
            const invoice = {{ amount: 2500, payee: "Hanna" }};
            const ran = [];
            const paying = more => approve("payment", {{ ...rules, ...more }})(function pay(args, approval) {{
                ran.push(args);
                return approval;
            }});
            {source}""", encoding="utf-8")
        with subprocess.Popen(
                ["node", script], cwd=self.scripts, env=self.variables(**variables), stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True) as process:
            shown = [self.phones["auth0|agents"].answer(*decision) for decision in decisions]
            output, _ = process.communicate(timeout=2 * DEADLINE)
        self.assertEqual(process.returncode, 0, output)
        return output.strip(), shown

    def test_an_allowed_call_runs_with_what_the_phone_showed(self):
        output, [shown] = self.node("""
            const { receipt, subject, accessToken } = await paying()(invoice);
            console.log(JSON.stringify({ ran, subject, evidence: receipt.evidence, record: receipt.record.authorization_details }));
        """, ("allow",))
        seen = json.loads(output)
        self.assertEqual(seen["ran"], [{"amount": 2500, "payee": "Hanna"}])
        self.assertEqual((seen["subject"], seen["evidence"]), ("auth0|agents", "signed-digest"))
        self.assertEqual(seen["record"], [{
            "type": "payment", "tool": "pay", "arguments": {"amount": 2500, "payee": "Hanna"}, "headline": "2500 USD",
            "to": "Hanna"}])
        self.assertEqual(shown["binding_message"], "pay")

    def test_every_algorithm_and_dialect_of_access_tokens_is_verified(self):
        for algorithm in ("RS256", "PS256", "ES256", "EdDSA"):
            for dialect in ("access_token", "rfc9068_profile"):
                output, _ = self.node(
                    "await paying()(invoice); console.log(ran.length);", ("allow",),
                    COUNTERSIGN_AUDIENCE=f"urn:example:{algorithm}-{dialect}")
                self.assertEqual(output, "1", (algorithm, dialect))

    def test_a_client_authenticates_by_each_kind_of_key(self):
        for name in self.KEYS:
            output, _ = self.node(
                "await paying()(invoice); console.log(ran.length);", ("allow",), COUNTERSIGN_CLIENT_SECRET="",
                COUNTERSIGN_CLIENT_ID=f"key-{name}", COUNTERSIGN_CLIENT_KEY=str(self.scripts / f"{name}.pem"))
            self.assertEqual(output, "1", name)

    def test_a_rejection_has_the_persons_words_and_nothing_runs(self):
        output, _ = self.node("""
            const error = await paying()(invoice).catch(error => error);
            console.log(JSON.stringify([error instanceof Rejected, error.reason, ran]));
        """, ("reject", "--reason", "Too much"))
        self.assertEqual(json.loads(output), [True, "Too much", []])

    def test_no_answer_and_a_withdrawn_request_run_nothing(self):
        output, _ = self.node("""
            const client = new Countersign({ expiry: 1 });
            const late = await paying({ client })(invoice).catch(error => error);
            const pay = paying();
            const pending = await pay.ask(invoice);
            await new Countersign().cancel(pending);
            const withdrawn = await pay.run(pending, invoice).catch(error => error);
            console.log(JSON.stringify([late.name, withdrawn.name, ran]));
        """)
        self.assertEqual(json.loads(output), ["NobodyAnswered", "Rejected", []])

    def test_arguments_that_change_while_the_person_decides_do_not_run(self):
        output, _ = self.node("""
            const args = { ...invoice };
            const client = new Countersign({ onAsked: () => { args.amount = 9999; } });
            const error = await paying({ client })(args).catch(error => error);
            console.log(JSON.stringify([error.name, ran]));
        """)
        self.assertEqual(json.loads(output), ["Changed", []])
        output, _ = self.node("""
            const args = { ...invoice };
            const pay = paying();
            const pending = await pay.ask(args);
            args.payee = "H\\u0430nna";
            const error = await pay.run(pending, args).catch(error => error);
            const again = await pay.run(pending, invoice).catch(error => error);
            console.log(JSON.stringify([error.name, again.name, again.code, ran]));
        """, ("allow",))
        self.assertEqual(json.loads(output), ["Changed", "CannotAsk", "invalid_grant", []])

    def test_a_call_that_is_repeated_rings_once(self):
        output, [_] = self.node("""
            const pay = paying();
            const [first, again, other] = [await pay.ask(invoice, { key: "call_1" }), await pay.ask(invoice, { key: "call_1" }),
                await pay.ask({ ...invoice, amount: 1 }, { key: "call_1" })];
            await new Countersign().cancel(other);
            await pay.run(again, invoice);
            console.log(first.auth_req_id === again.auth_req_id, first.request_id !== other.request_id, ran.length);
        """, ("allow",))
        self.assertEqual(output, "true true 1")

    def test_refusals_say_what_to_change(self):
        refusals = {
            "unknown_user_id": ("check `user`", {"COUNTERSIGN_USER": "auth0|nobody"}),
            "invalid_target": ("register the API", {"COUNTERSIGN_AUDIENCE": "urn:example:unknown"}),
            "invalid_client": ("check COUNTERSIGN_CLIENT_ID", {"COUNTERSIGN_CLIENT_SECRET": "another"}),
        }
        for code, (advice, variables) in refusals.items():
            output, _ = self.node("""
                const error = await paying()(invoice).catch(error => error);
                console.log(error.code, error.message);
            """, **variables)
            self.assertTrue(output.startswith(code), output)
            self.assertIn(advice, output)
        output, _ = self.node("""
            const error = await paying()({ ...invoice, note: "x".repeat(9000) }).catch(error => error);
            console.log(error.code, error.message);
        """)
        self.assertTrue(output.startswith("invalid_authorization_details"), output)
        self.assertIn("`asDigest`", output)


class Restart(unittest.TestCase):
    """A call that is pending while the client and the server end and start again."""

    @classmethod
    def setUpClass(cls):
        built()

    def served(self, folder, port):
        child = Child(
            "countersign", "serve", "--data", folder / "countersign-data", "--port", port, "--metrics-port", "none")
        self.addCleanup(child.stop)
        child.line(lambda line: line.startswith("Countersign listens on "))
        return child

    def test_the_example_goes_on_after_a_restart_of_both_rings_once_and_pays_once(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="countersign-typescript-"))
        self.addCleanup(shutil.rmtree, folder)
        port = free_port()
        server = self.served(folder, port)
        data = folder / "countersign-data"
        ticket = next(word for word in run(
            "countersign", "device", "ticket", "--data", data, "--user", "hanna.herwitz@example.com", "--tenant", "dev",
        ).split() if word.startswith("otpauth://"))
        phone = ["--store", folder / "phone.json", "--ca", data / "tls" / "ca.pem", "--json"]
        run("guardian", "enroll", ticket, *phone)
        shutil.copytree(EXAMPLE, folder, dirs_exist_ok=True)
        install(folder)
        subprocess.run(
            ["tsc", "--strict", "--target", "es2022", "--module", "node16", "pay.mts", "node.d.ts"], cwd=folder, check=True,
            timeout=60)

        first = eventually(lambda: self.asking(folder))
        first.kill()
        first.wait(DEADLINE)
        server.stop()
        self.served(folder, port)
        with self.started(folder) as second:
            answers = Child("guardian", "watch", "--answer", "allow", "--count", 3, *phone)
            self.addCleanup(answers.stop)
            output, _ = second.communicate(timeout=2 * DEADLINE)
        self.assertEqual(second.returncode, 0, output)
        self.assertEqual(sorted(line for line in output.splitlines() if line.startswith("paid")), [
            "paid 120.5 EUR to Print & Co", "paid 2500 USD to Hanna Herwitz", "paid 80 EUR to Power GmbH"])
        self.assertEqual(len(list((folder / "receipts").iterdir())), 3)
        with self.started(folder) as third:
            output, _ = third.communicate(timeout=DEADLINE)
        self.assertNotIn("paid", output)

    def started(self, folder):
        return subprocess.Popen(
            ["node", "pay.mjs"], cwd=folder, env=environment_without(folder), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True)

    def asking(self, folder):
        """The program once it has asked for all invoices; nothing while the server does not know the API yet."""
        process = self.started(folder)
        asked = 0
        for line in process.stdout:
            asked += line.startswith("asked")
            if asked == 3:
                return process
        process.wait(DEADLINE)
        process.stdout.close()
        return None


if __name__ == "__main__":
    unittest.main()
