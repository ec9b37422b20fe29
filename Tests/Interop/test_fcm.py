"""Firebase Cloud Messaging from the request to Google's receipt. PyJWT verifies the assertions."""

import json
import time

from cryptography.hazmat.primitives.asymmetric import rsa
from programs import eventually
from push_services import FCM, PushScenarios, PushTest, pem, pushed_server

PROJECT, EMAIL = "example-1", "push@example-1.iam.gserviceaccount.com"


class FCMTest(PushScenarios, PushTest):
    service_name = "GCM"
    queue = "fcm"
    people = ("plain", "gone", "busy", "cut")
    useless = (FCM.error(404, "UNREGISTERED"),)

    @classmethod
    def started(cls):
        def make(folder):
            cls.key = rsa.generate_private_key(65537, 2048)
            account = {
                "type": "service_account", "project_id": PROJECT, "private_key_id": "0af1",
                "private_key": pem(cls.key), "client_email": EMAIL,
                "token_uri": "https://oauth2.googleapis.com/token"}
            (folder / "account.json").write_text(json.dumps(account), encoding="ascii")
            cls.service = FCM(folder, cls.key, PROJECT, EMAIL)

        return pushed_server(
            cls, make, lambda: ["--fcm-url", cls.service.url, "--google-token-url", f"{cls.service.url}/token"])

    @classmethod
    def set_credentials(cls):
        cls.change("set", "fcm", cls.server.folder / "account.json")

    def pushed(self, name, *answers):
        device, _ = self.enroll(f"auth0|{name}", f"token:{name}")
        self.service.answers.extend(answers)
        return device, self.start(f"auth0|{name}")

    def test_a_request_reaches_the_device_and_its_withdrawal_too(self):
        device, started = self.pushed("plain")
        message = self.service.next()
        self.assertEqual(message["token"], "token:plain")
        data = message["data"]
        # Guardian.Android's parser: these are needed, and the date has milliseconds and a literal Z.
        self.assertLessEqual({"sh", "dai", "txtkn", "c", "d"}, set(data))
        time.strptime(data["d"][:19] + data["d"][23:], "%Y-%m-%dT%H:%M:%SZ")
        self.assertEqual(data["dai"], device)
        # Firebase keeps messages of four keys alone for a phone that is away.
        self.assertNotIn("collapse_key", message["android"])
        self.assertEqual(message["android"]["priority"], "high")
        self.assertLessEqual(int(message["android"]["ttl"].rstrip("s")), 300)
        self.cancel(started)
        withdrawn = self.service.next()
        self.assertEqual(withdrawn["data"], {"dai": device, "withdrawn": data["txlnkid"]})
        self.assertEqual(self.service.problems, [])

    def test_a_token_of_no_use_is_retired_and_a_busy_service_tried_again(self):
        device, _ = self.pushed("gone", FCM.error(404, "UNREGISTERED"))
        eventually(lambda: "GCM" not in self.shown(device))
        self.pushed(
            "busy", FCM.error(503, "UNAVAILABLE"), FCM.error(500, "INTERNAL"),
            FCM.error(429, "QUOTA_EXCEEDED", {"Retry-After": "1"}))
        self.assertEqual(self.service.next()["token"], "token:busy")
        self.assertTrue(self.service.messages.empty(), "once")

    def test_cut_connections_and_garbage_lose_nothing(self):
        self.pushed("cut", "cut", "garbage", "cut")
        self.assertEqual(self.service.next()["token"], "token:cut")
        self.assertTrue(self.service.messages.empty(), "once")
        self.assertEqual(self.service.problems, [])

    def test_credentials_are_proved_without_a_message(self):
        found = json.loads(self.command(
            "check", "--json", "--trusted-authorities", self.server.folder / "push.pem", "--outgoing-networks",
            "127.0.0.0/8", "--fcm-url", self.service.url, "--google-token-url", f"{self.service.url}/token"))
        self.assertEqual([finding["state"] for finding in found], ["ok"])
