"""APNs from the request to Apple's receipt, over HTTP/2 as h2 speaks it."""

import json
import subprocess
import time

from cryptography.hazmat.primitives.asymmetric import ec
from programs import DEADLINE, eventually
from push_services import APNs, PushScenarios, PushTest, pem, pushed_server

TEAM, KEY_ID, APP = "DEF123GHIJ", "ABC123DEFG", "com.example.app"


class KeyTest(PushTest):
    """Apple's service that knows the app by a key."""

    service_name = "APNS"
    queue = "apns"

    @classmethod
    def started(cls):
        def make(folder):
            cls.key = ec.generate_private_key(ec.SECP256R1())
            (folder / "AuthKey.p8").write_text(pem(cls.key), encoding="ascii")
            cls.service = APNs(folder, APP, cls.key, TEAM, KEY_ID)

        return pushed_server(
            cls, make, lambda: ["--apns-url", cls.service.url, "--apns-sandbox-url", cls.service.url])

    @classmethod
    def set_credentials(cls, *more):
        cls.change("set", "apns", "--bundle-id", APP, "--key", cls.server.folder / "AuthKey.p8", "--key-id",
                   KEY_ID, "--team-id", TEAM, *more)

    def pushed(self, name, *answers):
        """Enrols a user's phone, plans answers, and starts a request. Returns the token and the start's answer."""
        token = name.encode().hex().ljust(64, "0")
        # Guardian's sample app sends capitals.
        device, secret = self.enroll(f"auth0|{name}", token.upper())
        self.service.answers.extend(answers)
        return token, device, secret, self.start(f"auth0|{name}")


class APNsTest(PushScenarios, KeyTest):
    people = ("plain", "gone", "busy", "cut", "garbage", "slow", "quick", "many")
    useless = ("BadDeviceToken",)
    # The token may be good for the other environment.
    useless_state = "failed"

    def test_a_request_reaches_the_device_and_its_withdrawal_too(self):
        token, device, _, started = self.pushed("plain")
        received, fields, payload = self.service.next()
        self.assertEqual(received, token)
        self.assertEqual(fields["apns-push-type"], "alert")
        self.assertEqual(payload["aps"]["category"], "com.auth0.notification.authentication")
        self.assertEqual(payload["mfa"]["dai"], device)
        self.assertEqual(payload["mfa"]["txlnkid"], fields["apns-collapse-id"])
        self.assertIn("Order 4711", payload["aps"]["alert"]["body"])
        self.cancel(started)
        received, withdrawn, payload = self.service.next()
        self.assertEqual(received, token)
        self.assertEqual(withdrawn["apns-push-type"], "background")
        self.assertEqual(withdrawn["apns-collapse-id"], fields["apns-collapse-id"])
        self.assertEqual(payload["withdrawn"], {"dai": device, "txlnkid": fields["apns-collapse-id"]})
        self.assertEqual(self.service.problems, [])

    def test_a_token_of_no_use_is_retired_and_a_busy_service_tried_again(self):
        _, device, _, _ = self.pushed("gone", "Unregistered")
        eventually(lambda: "APNS" not in self.shown(device))
        token, _, _, _ = self.pushed("busy", "ServiceUnavailable", "TooManyRequests", "InternalServerError")
        self.assertEqual(self.service.next()[0], token)
        self.assertTrue(self.service.messages.empty(), "once")

    def test_cut_connections_and_garbage_lose_nothing(self):
        for name in ("cut", "garbage"):
            token, _, _, _ = self.pushed(name, name, name)
            self.assertEqual(self.service.next()[0], token)
        self.assertTrue(self.service.messages.empty(), "once")
        self.assertEqual(self.service.problems, [])

    def test_pushes_at_once_share_one_connection(self):
        tokens = {f"{number:064x}" for number in range(1, 6)}
        for token in tokens:
            self.enroll("auth0|many", token, name=token)
        before = self.service.connections
        # The service answers each after two seconds, so that all are in flight together.
        self.service.answers.extend(["slow"] * len(tokens))
        self.start("auth0|many")
        started = time.monotonic()
        self.assertEqual({self.service.next()[0] for _ in tokens}, tokens)
        self.assertLess(time.monotonic() - started, 1.9)
        # The connection before may have ended with another test.
        self.assertLessEqual(self.service.connections - before, 1)

    def test_a_slow_answer_delays_no_other_push(self):
        slow, _, _, _ = self.pushed("slow", "slow")
        self.assertEqual(self.service.next()[0], slow)
        started = time.monotonic()
        quick, _, _, _ = self.pushed("quick")
        self.assertEqual(self.service.next()[0], quick)
        self.assertLess(time.monotonic() - started, 1.9, "on the same connection, before the slow answer")

    def test_credentials_are_proved_without_a_message(self):
        options = ["--trusted-authorities", self.server.folder / "push.pem", "--outgoing-networks", "127.0.0.0/8",
                   "--apns-url", self.service.url]
        self.service.answers.clear()
        found = json.loads(self.command("test", "--json", *options))
        self.assertEqual([finding["state"] for finding in found], ["ok"])
        self.assertNotIn("PRIVATE", self.command("list", "--json"))


class RefusedCredentialsTest(KeyTest):
    people = ("refused",)

    def test_refused_credentials_are_the_operators_to_see_and_messages_that_wait_go_with_changed_ones(self):
        self.pushed("refused", "TopicDisallowed")
        eventually(lambda: "TopicDisallowed" in self.server.errors())
        self.start("auth0|refused")
        eventually(lambda: self.server.errors().count("TopicDisallowed") >= 2)
        self.assertTrue(self.service.messages.empty(), "not asked again")
        # Changed at once: without credentials meanwhile, the message that waits would be skipped.
        self.set_credentials("--sandbox")
        self.start("auth0|refused", "Order 4712")
        # The message that waited may come first.
        while "4712" not in self.service.next()[2]["aps"]["alert"]["body"]:
            pass


class CertificateTest(PushTest):
    """Apple's service that knows the app by a certificate, which it requires in the handshake."""

    service_name = "APNS"
    queue = "apns"

    @classmethod
    def started(cls):
        def make(folder):
            def openssl(*arguments):
                subprocess.run(
                    ["openssl", *arguments], check=True, capture_output=True, timeout=DEADLINE, cwd=folder)

            new_key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
            openssl("req", "-x509", "-days", "1", *new_key, "-subj", "/CN=Apple", "-keyout", "apple.key", "-out",
                    "apple.pem")
            openssl("req", *new_key, "-subj", f"/CN=Apple Push Services: {APP}", "-keyout", "app.key", "-out", "app.csr")
            openssl("x509", "-req", "-in", "app.csr", "-CA", "apple.pem", "-CAkey", "apple.key", "-CAcreateserial",
                    "-days", "60", "-out", "app.pem")
            openssl("pkcs12", "-export", "-in", "app.pem", "-inkey", "app.key", "-passout", "pass:", "-out", "app.p12")
            cls.service = APNs(folder, APP, authority=folder / "apple.pem")

        return pushed_server(cls, make, lambda: ["--apns-url", cls.service.url])

    @classmethod
    def set_credentials(cls):
        cls.change("set", "apns", "--bundle-id", APP, "--certificate", cls.server.folder / "app.p12")

    def test_the_certificate_is_in_the_handshake(self):
        token = b"plain".hex().ljust(64, "0")
        self.enroll("auth0|plain", token)
        self.start("auth0|plain")
        self.assertEqual(self.service.next()[0], token)
        self.assertEqual(self.service.subjects, {("commonName", f"Apple Push Services: {APP}")})
        found = json.loads(self.command(
            "test", "--json", "--trusted-authorities", self.server.folder / "push.pem", "--outgoing-networks",
            "127.0.0.0/8", "--apns-url", self.service.url))
        self.assertEqual([finding["state"] for finding in found], ["ok"])
        self.assertEqual(self.service.problems, [])
