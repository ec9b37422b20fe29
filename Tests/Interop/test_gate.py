"""docs/gate.md, and `countersign gate` by the documented inputs and outputs of the agents' hooks."""

import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import time
import unittest

from documents import PhoneTerminal, Shell, environment, matches, pattern, snippets, squeezed
from programs import DEADLINE, PROGRAMS, Child, InteropTest, Server, eventually, run

GUIDE = "gate.md"
USER = "auth0|48616e6e6120486572776974"
# Inputs as the agents document them, in members and types.
CLAUDE_PROMPT = {
    "session_id": "5a1c", "transcript_path": "/home/hanna/.claude/projects/shop/5a1c.jsonl", "cwd": "/home/hanna/shop",
    "permission_mode": "default", "hook_event_name": "PermissionRequest", "tool_name": "Bash",
    "tool_input": {"command": "git push", "description": "Publishes the work"},
    "permission_suggestions": [{"type": "toolAlwaysAllow", "tool": "Bash"}],
}
CLAUDE_CALL = {
    "session_id": "5a1c", "transcript_path": "/t.jsonl", "cwd": "/home/hanna/shop", "permission_mode": "default",
    "hook_event_name": "PreToolUse", "tool_name": "Edit", "tool_use_id": "toolu_01",
    "tool_input": {"file_path": "/home/hanna/shop/a.py", "old_string": "a = 1", "new_string": "a = 2"},
}
CODEX_PROMPT = {
    "session_id": "0198c", "turn_id": "7", "transcript_path": None, "cwd": "/home/hanna/shop", "model": "gpt-5",
    "permission_mode": "default", "hook_event_name": "PermissionRequest", "tool_name": "Bash",
    "tool_input": {"command": "cargo test", "description": "needs the network"},
}


def prompted(behavior, **more):
    return {"hookSpecificOutput": {
        "hookEventName": "PermissionRequest", "decision": {"behavior": behavior, **more}}}


class Guide(unittest.TestCase):
    def test_the_steps_of_the_document_lead_to_the_first_prompt_and_print_what_it_says(self):
        server = Server()
        self.addCleanup(server.stop)
        variables = environment(server.folder, PROGRAMS, HOME=str(server.folder))
        shell, phone = Shell(server.folder, variables), PhoneTerminal(server.folder, variables)
        self.addCleanup(shell.close)
        self.addCleanup(phone.close)
        output, ran = None, 0
        for snippet in snippets(GUIDE):
            match snippet.language, snippet.words:
                case "sh", ["run", *happens]:
                    shell.type(snippet.text)
                    for word in happens:
                        outcome, key = {"allow": ("allowed", "y"), "reject": ("rejected", "n")}[word]
                        phone.ends((outcome,), typing=f"{key}\n")
                    output, ran = shell.output(), ran + 1
                case "sh", ["phone"]: phone.run(snippet.text.rstrip("\n"))
                case "sh", _: pass
                case "text", ["phone"]: self.assertRegex(squeezed(phone.text), pattern(snippet.text))
                case "json" | "text", []:
                    self.assertTrue(matches(output, snippet.text), f"{output}\nis not\n{snippet.text}")
                case _: self.fail(f"no test runs {snippet}")
        self.assertGreater(ran, 6)


class GateTest(unittest.TestCase):
    """A development server, its phone, and a gate that was installed beside it."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.addClassCleanup(lambda: cls.server.stop())
        cls.phone = cls.server.phone(USER)
        cls.home = cls.server.folder / "home"
        cls.home.mkdir()
        cls.folder = cls.home / ".config" / "countersign" / "gate"
        cls.install()

    @classmethod
    def install(cls, *more, home=None, status=0):
        done = subprocess.run(
            [PROGRAMS / "countersign", "gate", *(more or ["install"]), *(["--data", cls.server.data] if "uninstall" not in more
                                                                        else [])],
            cwd=cls.server.folder, env={"HOME": str(home or cls.home)}, capture_output=True, text=True, timeout=DEADLINE,
            check=False)
        assert done.returncode == status, done.stderr
        return done

    def start(self, prompt, agent="claude-code", wait="30s", folder=None, event=None, **more):
        text = prompt if isinstance(prompt, bytes) else json.dumps(prompt).encode()
        hook = subprocess.Popen(
            [PROGRAMS / "countersign", "gate", "hook", "--agent", agent, "--folder", folder or self.folder, "--wait", wait,
             *(["--event", event] if event else [])],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **{"cwd": self.server.folder, "env": {}, **more})
        hook.stdin.write(text)
        hook.stdin.close()
        hook.stdin = None
        return hook

    def end(self, hook):
        """Status, JSON of the output, and standard error."""
        output, errors = hook.communicate(timeout=2 * DEADLINE)
        return hook.returncode, json.loads(output) if output else None, errors.decode()

    def ask(self, prompt, agent="claude-code", **more):
        return self.end(self.start(prompt, agent, **more))

    def starts(self):
        return len(json.loads(run(
            "countersign", "log", "list", "--type", "ciba_start_succeeded", "--json", "--data", self.server.data)))


class Prompts(GateTest):
    def test_a_yes_is_told_in_the_agents_own_form_within_three_seconds(self):
        for prompt, agent, expected in (
                (CLAUDE_PROMPT, "claude-code", prompted("allow")), (CODEX_PROMPT, "codex", prompted("allow")),
                (CLAUDE_CALL, "codex", None)):
            with self.subTest(agent=agent, event=prompt["hook_event_name"]):
                hook = self.start(prompt, agent)
                shown = self.phone.answer("allow")
                answered = time.monotonic()
                self.assertEqual(self.end(hook)[:2], (0, expected))
                self.assertLess(time.monotonic() - answered, 3)
                self.assertEqual(shown["authorization_details"][0]["folder"], "/home/hanna/shop")

    def test_a_call_is_shown_with_its_change(self):
        hook = self.start({**CLAUDE_CALL, "tool_use_id": "toolu_02"})
        detail = self.phone.answer("allow")["authorization_details"][0]
        status, output, _ = self.end(hook)
        decision = output["hookSpecificOutput"]
        self.assertEqual((status, decision["hookEventName"], decision["permissionDecision"]), (0, "PreToolUse", "allow"))
        self.assertEqual(
            (detail["files"], detail["diff"]), (["/home/hanna/shop/a.py"], "- a = 1\n+ a = 2"))

    def test_a_no_has_the_persons_words(self):
        hook = self.start(CLAUDE_PROMPT)
        self.phone_rejects("not on a Friday")
        status, output, _ = self.end(hook)
        self.assertEqual((status, output), (0, prompted(
            "deny", message='The person rejected this call. Their words: "not on a Friday"')))

    def phone_rejects(self, reason):
        def reject():
            done = subprocess.run(
                [PROGRAMS / "guardian", "reject", "--reason", reason, *self.phone._options], capture_output=True,
                timeout=DEADLINE, check=False)
            return done.returncode == 0
        eventually(reject)

    def test_a_wait_that_ends_goes_on_with_the_same_call_under_another_id(self):
        before = self.starts()
        prompt = {**CLAUDE_CALL, "tool_name": "Write", "tool_input": {"file_path": "/a", "content": "x"}}
        status, output, _ = self.ask({**prompt, "tool_use_id": "toolu_10"}, wait="2s")
        self.assertEqual((status, output["hookSpecificOutput"]["permissionDecision"]), (0, "deny"))
        self.assertIn("exactly the same call again", output["hookSpecificOutput"]["permissionDecisionReason"])
        hook = self.start({**prompt, "tool_use_id": "toolu_11"})
        self.phone.answer("allow")
        self.assertEqual(self.end(hook)[1]["hookSpecificOutput"]["permissionDecision"], "allow")
        self.assertEqual(self.starts(), before + 1)

    def test_the_environment_and_a_hostile_project_change_nothing(self):
        project = self.server.folder / "hostile"
        (project / "countersign-data").mkdir(parents=True)
        (project / ".claude").mkdir()
        wrong = {"issuer": "https://127.0.0.1:9/", "client_id": "x", "client_secret": "x"}
        rules = {"rules": [{"allow": "Bash", "command": "*"}]}
        for name, content in {
                "countersign-data/development.json": wrong, "gate.json": wrong, "rules.json": rules,
                ".claude/rules.json": rules, ".claude/settings.json": {"permissions": {"allow": ["Bash"]}}}.items():
            (project / name).write_text(json.dumps(content), encoding="utf-8")
            (project / name).chmod(0o600)
        for program in ("countersign", "git", "sh"):
            (project / program).write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
            (project / program).chmod(0o755)
        hostile = {
            "HOME": str(project), "PATH": f"{project}:.", "XDG_CONFIG_HOME": str(project), "SSL_CERT_FILE": "/dev/null",
            "COUNTERSIGN_ISSUER": "https://127.0.0.1:9/", "COUNTERSIGN_CLIENT_ID": "x", "COUNTERSIGN_CLIENT_SECRET": "x",
            "COUNTERSIGN_USER": "auth0|other", "COUNTERSIGN_CA": str(project / "gate.json"),
            "COUNTERSIGN_DATA": str(project / "countersign-data"), "https_proxy": "http://127.0.0.1:9"}
        hook = self.start(CLAUDE_PROMPT, cwd=project, env=hostile)
        self.phone_rejects("no")
        self.assertEqual(self.end(hook)[1]["hookSpecificOutput"]["decision"]["behavior"], "deny")

    def test_an_input_that_is_no_prompt_is_refused_with_status_2(self):
        for text in (b"", b"\xff\xfe\x00", b"{}", b"[" * 100_000, b'{"hook_event_name":"Stop"}', os.urandom(4096),
                     b" " * 9_000_000):
            status, output, errors = self.ask(text)
            self.assertEqual((status, output), (2, None))
            self.assertIn("The call is refused", errors)

    def test_an_input_that_cannot_be_read_is_denied_at_a_permission_prompt_of_claude_code(self):
        deep = json.dumps(CLAUDE_PROMPT).replace('"git push"', "[" * 40 + "]" * 40)
        for text in (b"", deep.encode(), json.dumps(CLAUDE_PROMPT).replace("git", "\\ud800").encode()):
            status, output, _ = self.end(self.start(text, event="PermissionRequest"))
            self.assertEqual((status, output["hookSpecificOutput"]["decision"]["behavior"]), (0, "deny"))

    def test_a_question_of_the_agent_rings_nobody_and_has_no_answer(self):
        before = self.starts()
        for prompt in (CLAUDE_PROMPT, CLAUDE_CALL):
            prompt = {**prompt, "tool_name": "AskUserQuestion", "tool_input": {"questions": []}}
            self.assertEqual(self.ask(prompt)[:2], (0, None))
        self.assertEqual(self.starts(), before)

    def test_an_answer_that_cannot_be_written_is_a_failure(self):
        with open("/dev/full", "wb") as full:
            hook = subprocess.run(
                [PROGRAMS / "countersign", "gate", "hook", "--agent", "claude-code", "--folder", self.server.folder / "none"],
                input=json.dumps(CLAUDE_CALL).encode(), stdout=full, stderr=subprocess.PIPE, timeout=DEADLINE, check=False)
        self.assertEqual(hook.returncode, 2)
        self.assertIn(b"cannot be written", hook.stderr)

    def test_a_folder_that_others_may_write_is_refused(self):
        self.folder.chmod(0o777)
        self.addCleanup(self.folder.chmod, 0o700)
        _, output, _ = self.ask(CLAUDE_PROMPT)
        self.assertIn("others may write it", output["hookSpecificOutput"]["decision"]["message"])

    def test_twelve_hooks_at_once_get_their_own_answers(self):
        hooks = [self.start({**CLAUDE_PROMPT, "session_id": f"s{index % 3}", "tool_input": {"command": f"make {index // 2}"}})
                 for index in range(12)]
        with self.phone.watching("allow"):
            for hook in hooks:
                self.assertEqual(self.end(hook)[:2], (0, prompted("allow")))
        self.assertEqual(list((self.folder / "pending").glob("*.json")), [])

    def test_a_long_command_is_refused_and_a_large_file_is_shown_in_part(self):
        _, output, _ = self.ask({**CLAUDE_PROMPT, "tool_input": {"command": "x" * 5000}})
        self.assertIn("at most 4000", output["hookSpecificOutput"]["decision"]["message"])
        hook = self.start({**CLAUDE_PROMPT, "tool_name": "Write", "tool_input": {"file_path": "/a", "content": "y\u202e" * 1_000_000}})
        diff = self.phone.answer("allow")["authorization_details"][0]["diff"]
        self.assertIn("The whole has 2000002 characters", diff)
        self.assertIn("‹U+202E›", diff)
        self.assertEqual(self.end(hook)[1], prompted("allow"))

    def test_rules_answer_without_the_phone_and_a_file_that_others_may_write_is_refused(self):
        before, rules = self.starts(), self.folder / "rules.json"
        self.addCleanup(rules.unlink)
        rules.write_text(json.dumps({"rules": [
            {"allow": "Bash", "command": "git status *"}, {"deny": "Bash", "command": "git push *", "reason": "never"}]}))
        for command, expected in (("git status --short", prompted("allow")), ("git push", prompted("deny", message="never"))):
            self.assertEqual(self.ask({**CLAUDE_PROMPT, "tool_input": {"command": command}})[1], expected)
        rules.chmod(0o666)
        _, output, _ = self.ask({**CLAUDE_PROMPT, "tool_input": {"command": "git status"}})
        self.assertIn("others may write it", output["hookSpecificOutput"]["decision"]["message"])
        rules.chmod(0o600)
        rules.write_text("{")
        _, output, _ = self.ask({**CLAUDE_PROMPT, "tool_input": {"command": "git status"}})
        self.assertEqual(output["hookSpecificOutput"]["decision"]["behavior"], "deny")
        self.assertEqual(self.starts(), before)


class Restarts(GateTest):
    def test_a_call_outlives_the_killed_hook_and_the_killed_server_and_runs_once(self):
        hook = self.start(CLAUDE_PROMPT)
        eventually(lambda: self.waiting() and '"request"' in self.waiting()[0].read_text())
        hook.kill()
        self.end_quietly(hook)
        self.server.process.send_signal(signal.SIGKILL)
        self.server.process.wait(DEADLINE)
        _, output, _ = self.ask(CLAUDE_PROMPT, wait="2s")
        self.assertEqual(output["hookSpecificOutput"]["decision"]["behavior"], "deny")
        again = Child(
            "countersign", "serve", "--data", self.server.data, "--port", self.server.port, "--metrics-port", "none")
        self.addCleanup(again.stop)
        again.line(lambda line: line.startswith("Countersign listens on "))
        hook = self.start(CLAUDE_PROMPT)
        self.phone.answer("allow")
        self.assertEqual(self.end(hook)[:2], (0, prompted("allow")))
        self.assertEqual((self.starts(), self.waiting()), (1, []))

    def end_quietly(self, hook):
        hook.communicate(timeout=DEADLINE)

    def waiting(self):
        return list((self.folder / "pending").glob("*.json"))


class Installations(GateTest):
    SETTINGS = '{\n  "model": "opus",\n  "hooks": {\n    "Stop": [{ "hooks": [ ] }]\n  },\n  "x": "é \\u00e9"\n}\n'

    def test_each_agents_settings_get_the_hook_and_lose_exactly_that(self):
        for agent, name in (("claude-code", ".claude/settings.json"), ("codex", ".codex/hooks.json")):
            with self.subTest(agent=agent):
                home = self.server.folder / agent
                file = home / name
                file.parent.mkdir(parents=True)
                real = file.parent / "real.json"
                real.write_text(self.SETTINGS, encoding="utf-8")
                real.chmod(0o640)
                file.symlink_to(real)
                for event in ("PermissionRequest", "PreToolUse", "PermissionRequest"):
                    more = ["--every-call"] if event == "PreToolUse" else []
                    self.install("install", "--agent", agent, *more, home=home)
                    hooks = json.loads(file.read_text(encoding="utf-8"))["hooks"]
                    self.assertEqual(set(hooks), {"Stop", event})
                handler = hooks[event][0]["hooks"][0]
                self.assertEqual((handler["type"], handler["timeout"]), ("command", 600))
                self.assertIn(f" --event {event} ", handler["command"])
                self.assertEqual(real.stat().st_mode & 0o777, 0o640)
                self.assertTrue(file.is_symlink())
                # The installed command is what the agent runs.
                hook = subprocess.Popen(
                    handler["command"], shell=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={}, cwd="/")
                hook.stdin.write(json.dumps(CLAUDE_PROMPT).encode())
                hook.stdin.close()
                hook.stdin = None
                self.phone.answer("allow")
                self.assertEqual(json.loads(hook.communicate(timeout=DEADLINE)[0]), prompted("allow"))
                self.install("uninstall", "--agent", agent, home=home)
                self.assertEqual(file.read_text(encoding="utf-8"), self.SETTINGS)
                self.install("uninstall", "--agent", agent, home=home, status=1)

    def test_a_file_that_the_gate_made_is_removed_and_secrets_are_the_owners_alone(self):
        home = self.server.folder / "fresh"
        home.mkdir()
        self.install("install", home=home)
        gate = home / ".config" / "countersign" / "gate"
        self.assertEqual((gate / "gate.json").stat().st_mode & 0o777, 0o600)
        self.assertEqual(gate.stat().st_mode & 0o777, 0o700)
        self.install("uninstall", home=home)
        self.assertFalse((home / ".claude" / "settings.json").exists())

    def test_settings_that_are_no_json_stay_as_they_are(self):
        home = self.server.folder / "broken"
        (home / ".claude").mkdir(parents=True)
        file = home / ".claude" / "settings.json"
        file.write_text("// mine\n{}")
        self.assertIn("not valid JSON", self.install("install", home=home, status=1).stderr)
        self.assertEqual(file.read_text(), "// mine\n{}")


class OwnServer(InteropTest):
    USERS = ("auth0|hanna",)

    def test_the_commands_of_the_document_make_a_tenant_ready(self):
        blocks = [block.text for block in snippets(GUIDE) if block.language == "sh" and not block.words]
        home = self.server.folder / "home"
        home.mkdir()
        variables = environment(self.server.folder, PROGRAMS, HOME=str(home), COUNTERSIGN_CA=str(self.server.authority))
        variables |= {"PATH": f"{PROGRAMS}:{os.environ['PATH']}"}
        shell = Shell(self.server.folder, variables)
        self.addCleanup(shell.close)
        self.assertEqual(len(blocks), 2)
        values = {
            "3vT0aMXjWkq2mZ9wqVbN1rYpLsKd8uXe": self.client_id, "https://id.acme.example/": self.issuer,
            "hanna@acme.example": "'auth0|hanna'", "…": self.client_secret}
        for text in ["export COUNTERSIGN_TENANT=interop", *blocks]:
            for example, value in values.items():
                text = text.replace(example, value)
            shell.type(text)
            shell.output()
        prompt = {"session": "s", "tool": "Bash", "folder": "/", "input": {"command": "make"}}
        text = json.dumps(prompt)
        # The server needs a moment until it knows the API.
        shell.type(
            "for attempt in {1..30}; do\n"
            f"  countersign gate hook --agent plain --folder ~/.config/countersign/gate <<< '{text}' && break\n"
            "  sleep 0.2\ndone")
        detail = self.phones["auth0|hanna"].answer("allow")["authorization_details"][0]
        self.assertEqual(json.loads(shell.output().strip().splitlines()[-1])["decision"], "allow")
        self.assertEqual(detail["command"], "make")


class Types(GateTest):
    GOOD = {"type": "command", "tool": "Bash", "folder": "/", "files": ["a"], "arguments": {"timeout": 3}}
    BAD = {"type": "command", "tool": 3, "folder": "/"}

    def module(self, language):
        return run("countersign", "types", f"--{language}", "--api", "urn:countersign:agent-tools", "--data", self.server.data)

    def test_typescript_accepts_what_the_schema_accepts_and_refuses_the_rest(self):
        text = self.module("typescript")
        self.assertEqual(text, self.module("typescript"))
        for detail, status in ((self.GOOD, 0), (self.BAD, 2)):
            file = self.server.folder / "details.ts"
            file.write_text(f"{text}\nexport const detail: AuthorizationDetail = {json.dumps(detail)};\n", encoding="utf-8")
            done = subprocess.run(
                ["tsc", "--strict", "--noEmit", "--target", "es2022", file], capture_output=True, text=True, timeout=120, check=False)
            self.assertEqual(done.returncode, status, done.stdout)

    def test_python_is_a_module_whose_types_are_known(self):
        file = self.server.folder / "details.py"
        file.write_text(self.module("python"), encoding="utf-8")
        spec = importlib.util.spec_from_file_location("details", file)
        module = importlib.util.module_from_spec(spec)
        sys.modules["details"] = module
        spec.loader.exec_module(module)
        self.assertEqual(module.Command.__required_keys__, {"type", "tool", "folder"})
        self.assertIn("diff", module.Command.__optional_keys__)

    def test_python_accepts_what_the_schema_accepts_and_refuses_the_rest(self):
        for detail, status in ((self.GOOD, 0), (self.BAD, 1)):
            file = self.server.folder / "typed.py"
            file.write_text(f"{self.module('python')}\ndetail: Command = {detail!r}\n", encoding="utf-8")
            done = subprocess.run(
                [sys.executable, "-m", "mypy", "--strict", file], capture_output=True, text=True, timeout=120, check=False,
                cwd=self.server.folder)
            self.assertEqual(done.returncode, status, done.stdout)

    def test_every_schema_of_the_tenant_is_in_one_module(self):
        text = run("countersign", "types", "--typescript", "--data", self.server.data)
        self.assertEqual(re.search(r"AuthorizationDetail = (.*);", text)[1], "MoneyTransfer | Command | Payment | ToolCall")
