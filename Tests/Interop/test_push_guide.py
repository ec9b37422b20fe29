"""docs/push.md: its commands as they stand, from credentials to an answer on a phone."""

import json
import os
import re

from cryptography.hazmat.primitives.asymmetric import ec, rsa
from documents import ROOT, Shell, environment, snippets
from programs import PROGRAMS, Phone, eventually
from push_services import FCM, SNS, APNs, PushTest, pem, pushed_server

GUIDE = "push.md"
SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
PROJECT, ACCOUNT = "example-1", "push@example-1.iam.gserviceaccount.com"
TOKEN = "ab" * 32


class PushGuideTest(PushTest):
    service_name = "APNS"
    queue = "apns"
    people = ()

    @classmethod
    def configuration(cls):
        configuration = super().configuration()
        configuration["tenants"][0]["users"].append(
            {"user_id": "auth0|hanna", "name": "Hanna", "email": "hanna@shop.example", "email_verified": True})
        return configuration

    @classmethod
    def started(cls):
        def make(folder):
            key, account = ec.generate_private_key(ec.SECP256R1()), rsa.generate_private_key(65537, 2048)
            (folder / "AuthKey_ABC123DEFG.p8").write_text(pem(key), encoding="ascii")
            (folder / "service-account.json").write_text(json.dumps({
                "type": "service_account", "project_id": PROJECT, "private_key": pem(account), "client_email": ACCOUNT,
            }), encoding="ascii")
            (folder / "secret.txt").write_text(SECRET + "\n", encoding="ascii")
            cls.service = APNs(folder, "com.example.app", key, "DEF123GHIJ", "ABC123DEFG")
            cls.google = FCM(folder, account, PROJECT, ACCOUNT)
            cls.amazon = SNS(folder, "AKIDEXAMPLE", SECRET, "eu-central-1")
            cls.addClassCleanup(cls.google.stop)
            cls.addClassCleanup(cls.amazon.stop)

        return pushed_server(cls, make, lambda: [
            "--apns-url", cls.service.url, "--fcm-url", cls.google.url, "--google-token-url", f"{cls.google.url}/token",
            "--sns-url", cls.amazon.url])

    @classmethod
    def set_credentials(cls):
        """The commands of the guide do."""

    def open_shell(self):
        folder = self.server.folder
        self.shell = Shell(folder, environment(
            folder, PROGRAMS, PATH=f"{PROGRAMS}:{os.environ['PATH']}", COUNTERSIGN_TENANT="interop",
            COUNTERSIGN_OUTGOING_NETWORKS="127.0.0.0/8", COUNTERSIGN_TRUSTED_AUTHORITIES=str(folder / "push.pem"),
            COUNTERSIGN_APNS_URL=self.service.url, COUNTERSIGN_FCM_URL=self.google.url,
            COUNTERSIGN_GOOGLE_TOKEN_URL=f"{self.google.url}/token", COUNTERSIGN_SNS_URL=self.amazon.url,
            COUNTERSIGN_ISSUER=self.issuer, COUNTERSIGN_CLIENT_ID=self.client_id,
            COUNTERSIGN_CLIENT_SECRET=self.client_secret, COUNTERSIGN_CA=str(self.server.authority)))
        self.addCleanup(self.shell.close)

    @staticmethod
    def commands(name):
        [text] = [snippet.text for snippet in snippets(GUIDE) if snippet.words == [name]]
        return text

    def typed(self, name, before=""):
        self.shell.type(before + self.commands(name))
        return self.shell.output()

    def reloads(self):
        return self.server.errors().count("configuration reloaded")

    def test_from_credentials_to_an_answer(self):
        self.open_shell()
        # The class's own configuration was the first.
        eventually(lambda: self.reloads() > 0)
        for name, accepted in (("apple", "Apple accepts the key"), ("google", "Google accepts the service account")):
            before = self.reloads()
            self.assertIn(accepted, self.typed(name))
            eventually(lambda: self.reloads() > before)
        phone = self.phone()

        self.assertIn("shows nothing", self.typed("phone", f"DEVICE={phone.id}\n"))
        token, fields, payload = self.service.next()
        self.assertEqual((token, fields["apns-push-type"]), (TOKEN, "background"))
        self.assertNotIn("alert", payload["aps"])

        self.shell.type(self.commands("ask"))
        token, fields, _ = self.service.next()
        self.assertEqual((token, fields["apns-push-type"]), (TOKEN, "alert"))
        self.assertEqual(phone.answer("allow")["binding_message"], "Order 4711")
        self.assertRegex(self.shell.output(), r"eyJ[\w-]+\.[\w-]+\.[\w-]+")
        after = self.typed("after")
        self.assertRegex(after, r"apns +sent +1 ")
        self.assertIn("Apple accepts the key", after)

        waiting = self.typed("amazon")
        self.assertIn("is not selected", waiting)
        self.assertIn("selected: sns", waiting)
        self.assertIn("by sns", self.typed("phone", f"DEVICE={phone.id}\n"))
        _, message, attributes = self.amazon.next()
        self.assertEqual(attributes["AWS.SNS.MOBILE.APNS.PUSH_TYPE"], "background")
        self.assertEqual(self.service.problems + self.google.problems + self.amazon.problems, [])

    def phone(self):
        """A terminal that enrols with the ticket of the guide, and gets a token as an app does."""
        uri = next(word for word in self.typed("ticket").split() if word.startswith("otpauth://"))
        store = self.server.folder / "hanna.json"
        phone = Phone(self.server.authority, uri, store)
        secret = json.loads(store.read_text(encoding="utf-8"))["devices"][0]["token"]
        self.post(
            f"appliance-mfa/api/device-accounts/{phone.id}",
            {"push_credentials": {"service": "APNS", "token": TOKEN.upper()}}, "PATCH", Authorization=f"Bearer {secret}")
        return phone

    def test_the_policy_permits_what_the_server_does(self):
        [policy] = [snippet.text for snippet in snippets(GUIDE) if snippet.language == "json"]
        [statement] = json.loads(policy)["Statement"]
        source = (ROOT / "Sources/Adapters/Delivery/SNS/SNSSender.swift").read_text(encoding="utf-8")
        used = set(re.findall(r'client\.call\(\s*"(\w+)"', source))
        self.assertGreater(len(used), 3)
        self.assertEqual({action.removeprefix("sns:") for action in statement["Action"]}, used)
