"""APNs from the request to Apple's receipt, over HTTP/2 as h2 speaks it."""

import json
import subprocess

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
    people = ("plain", "gone", "busy", "cut", "garbage", "first", "slow", "quick", "many")
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
        tokens = {f"{number:064x}" for number in range(1, 21)}
        for token in tokens:
            self.enroll("auth0|many", token, name=token)
        for ends_connections in (False, True):
            with self.subTest(ends_connections=ends_connections):
                # Over a new connection, which takes one stream at first.
                self.service.stop()
                self.service.start()
                self.service.ends_connections = ends_connections
                connections, excess = self.service.connections, self.service.excess
                self.start("auth0|many")
                self.assertEqual({self.service.next()[0] for _ in tokens}, tokens)

                def tries():
                    entries = [entry for entry in self.deliveries("auth0|many") if entry["queue"] == self.queue]
                    return all(entry["state"] == "sent" for entry in entries) and {e["attempts"] for e in entries}

                self.assertEqual(eventually(tries), {1})
                self.assertEqual(self.service.connections - connections, 1)
                self.assertEqual(self.service.excess - excess, 0)
        self.assertTrue(self.service.messages.empty(), "once")

    def test_a_slow_answer_delays_no_other_push(self):
        # Until a push succeeds, the connection takes one at a time.
        first, _, _, _ = self.pushed("first")
        self.assertEqual(self.service.next()[0], first)
        slow, _, _, _ = self.pushed("slow", "slow")
        self.assertEqual(self.service.next()[0], slow)
        quick, _, _, _ = self.pushed("quick")
        self.assertEqual(self.service.next()[0], quick, "on the same connection, before the slow answer")
        self.service.release.set()
        eventually(lambda: [(entry["state"], entry["attempts"]) for entry in self.deliveries("auth0|slow")
                            if entry["queue"] == self.queue] == [("sent", 1)])

    def test_credentials_are_proved_without_a_message(self):
        options = ["--trusted-authorities", self.server.folder / "push.pem", "--outgoing-networks", "127.0.0.0/8",
                   "--apns-url", self.service.url]
        self.service.answers.clear()
        found = json.loads(self.command("check", "--json", *options))
        self.assertEqual([finding["state"] for finding in found], ["ok"])
        self.assertNotIn("PRIVATE", self.command("list", "--json"))


class RefusedCredentialsTest(KeyTest):
    people = ("refused",)

    def test_requests_end_or_go_on_by_mail_while_credentials_rest_and_changed_ones_are_used_at_once(self):
        _, _, _, started = self.pushed("refused", "TopicDisallowed")
        self.assertEqual(self.polled(started)["error"], "transaction_failed")
        self.assertIn("TopicDisallowed", self.server.errors())
        # Apple would take it now, but is not asked for a minute.
        self.assertEqual(self.polled(self.start("auth0|refused"))["error"], "transaction_failed")
        self.start("auth0|refused", "Order 4712", client="mailing-agent")
        _, mail = self.mail.next_to("refused@example.com")
        self.assertIn("Order 4712", mail.get_body(("plain",)).get_content())
        self.assertTrue(self.service.messages.empty(), "not asked again")
        # Changed at once: without credentials meanwhile, a message would be skipped.
        self.set_credentials("--sandbox")
        self.start("auth0|refused", "Order 4713")
        self.assertIn("4713", self.service.next()[2]["aps"]["alert"]["body"])


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
            "check", "--json", "--trusted-authorities", self.server.folder / "push.pem", "--outgoing-networks",
            "127.0.0.0/8", "--apns-url", self.service.url))
        self.assertEqual([finding["state"] for finding in found], ["ok"])
        self.assertEqual(self.service.problems, [])
