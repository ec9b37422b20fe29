"""Commands at a server elsewhere: the real program is a client of the real server, with a secret and with a key."""

import json
import os
import pathlib
import subprocess
import tempfile

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from programs import DEADLINE, PROGRAMS, InteropTest, eventually

SECRET = "a-pipelines-secret-of-more-than-thirty-two-characters"


class RemoteTest(InteropTest):
    @classmethod
    def configuration(cls):
        document = super().configuration()
        document["tenants"][0]["clients"].append({
            "client_id": "ci", "name": "Pipeline", "client_secret": SECRET, "grant_types": ["client_credentials"],
            "client_grants": [{"audience": f"{cls.issuer}api/v2/"}]})
        return document

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def command(self, *arguments, **further):
        """The program in an empty folder, with nothing but variables."""
        environment = {
            "PATH": os.environ["PATH"], "COUNTERSIGN_SERVER": self.issuer, "COUNTERSIGN_CLIENT_ID": "ci",
            "COUNTERSIGN_CLIENT_SECRET": SECRET, "COUNTERSIGN_CA": str(self.server.authority), **further}
        environment = {name: value for name, value in environment.items() if value is not None}
        return subprocess.run(
            [PROGRAMS / "countersign", *map(str, arguments)], cwd=self.folder, env=environment,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=DEADLINE, check=False)

    def answer(self, *arguments, **further):
        done = self.command(*arguments, "--json", **further)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_file(self):
        """A pipeline shows, applies and prints a tenant, and a second run changes nothing."""
        document = self.configuration()
        document["tenants"][0]["roles"].append({"id": "writer", "name": "Writer", "permissions": []})
        document["tenants"][0]["clients"][1]["client_secret"] = {"env": "CI_SECRET"}
        file = self.folder / "tenant.json"
        file.write_text(json.dumps(document), encoding="utf-8")
        planned = self.answer("apply", file, "--dry-run", CI_SECRET=SECRET)
        made = [change["name"] for change in planned if change["action"] == "created"]
        self.assertEqual(made, ["writer"])
        self.assertEqual(self.answer("apply", file, CI_SECRET=SECRET), planned)
        again = self.answer("apply", file, CI_SECRET=SECRET)
        self.assertEqual({change["action"] for change in again}, {"unchanged"})
        printed = json.loads(self.command("apply", "--print").stdout)
        self.assertEqual(printed["tenants"][0]["id"], "interop")
        missing = self.command("apply", file)
        self.assertEqual(missing.returncode, 1)
        self.assertIn("needs the environment variable CI_SECRET", missing.stderr)

    def test_plan(self):
        """A pull request's pipeline sees the changes with a client that reads; two pipelines do not overwrite each other."""
        document = self.configuration()
        document["tenants"][0]["name"] = "Another"
        file = self.folder / "tenant.json"
        file.write_text(json.dumps(document), encoding="utf-8")
        reading = [
            f"read:{kind}" for kind in (
                "tenant_settings", "custom_domains", "resource_servers", "roles", "clients", "client_credentials",
                "client_grants", "connections", "guardian_factors", "email_provider", "email_templates", "users")]
        made = self.answer(
            "client", "create", "--name", "Pull requests", "--set", 'grant_types=["client_credentials"]')
        self.answer("client", "grant", made["client_id"], f"{self.issuer}api/v2/", *reading)
        reader = {
            "COUNTERSIGN_CLIENT_ID": made["client_id"], "COUNTERSIGN_CLIENT_SECRET": made["client_secret"]}
        eventually(lambda: self.command("role", "list", **reader).returncode == 0)
        planned = self.answer("apply", file, "--dry-run", "--version-file", "version", **reader)
        self.assertIn(("tenant", "changed"), {(change["kind"], change["action"]) for change in planned})
        self.assertEqual(self.command("apply", file, **reader).returncode, 1)
        self.answer("apply", file, "--version-file", "version")
        late = self.command("apply", file, "--version-file", "version")
        self.assertEqual(late.returncode, 1)
        self.assertIn("changed since", late.stderr)

    def test_people(self):
        """Users come, go out as a file, and are invited, from elsewhere."""
        people = [{"email": f"p{number}@example.com", "email_verified": True} for number in range(150)]
        (self.folder / "people.json").write_text(json.dumps(people), encoding="utf-8")
        self.assertEqual(self.answer("user", "import", "people.json")["inserted"], 150)
        again = self.answer("user", "import", "people.json")
        self.assertEqual((again["failed"], again["errors"][0]["errors"][0]["code"]), (150, "DUPLICATED_USER"))
        lines = self.command("user", "export", "--fields", "email").stdout.splitlines()
        self.assertLessEqual({person["email"] for person in people}, {json.loads(line).get("email") for line in lines})
        counted = self.answer("device", "invite", "--query", "email:p1*", "--dry-run")
        self.assertGreater(counted["invited"], 50)
        invited = self.answer("device", "invite", "--query", "email:p1*", "--batch", "5")
        self.assertEqual((invited["invited"], invited["left"]), (5, counted["invited"] - 5))

    def test_objects(self):
        """Users, roles and the log, from elsewhere and from the data folder."""
        user = self.answer("user", "create", "--email", "Ann@example.com", "--set", "email_verified=true")
        shown = self.answer("user", "show", "ann@example.com")
        self.assertEqual(shown["user_id"], user["user_id"])
        self.answer("role", "assign", "reader", "--user", "ann@example.com")
        self.assertEqual([role["id"] for role in self.answer("user", "show", user["user_id"])["roles"]], ["reader"])
        entries = self.answer("log", "list", "--user", user["user_id"], "--since", "1h")
        self.assertIn("ci", {entry.get("client_id") for entry in entries})
        self.assertEqual(self.answer("user", "delete", user["user_id"], "--yes")["deleted"], user["user_id"])
        self.assertEqual(self.command("user", "show", user["user_id"]).returncode, 1)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_key(self):
        """A client with a key of its own instead of a secret."""
        key = ec.generate_private_key(ec.SECP256R1())
        (self.folder / "ci.pem").write_bytes(key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        (self.folder / "ci.pub").write_bytes(key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo))
        made = self.answer(
            "client", "create", "--name", "With a key", "--set", 'grant_types=["client_credentials"]')["client_id"]
        self.answer("client", "grant", made, f"{self.issuer}api/v2/", "read:roles")
        self.answer("client", "credential", "add", made, "--public-key", "ci.pub", "--use")
        keyed = {"COUNTERSIGN_CLIENT_ID": made, "COUNTERSIGN_CLIENT_SECRET": None, "COUNTERSIGN_CLIENT_KEY": "ci.pem"}
        eventually(lambda: self.command("role", "list", **keyed).returncode == 0)
        refused = self.command("user", "list", **keyed)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("read:users", refused.stderr)
        self.assertIn(f"countersign client grant {made}", refused.stderr)
