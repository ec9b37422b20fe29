"""Amazon's notification service from the request to its receipt. botocore makes each signature again."""

import json

from programs import eventually
from push_services import SNS, PushScenarios, PushTest, pushed_server

KEY, SECRET, REGION = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "eu-central-1"
APPLICATION = f"arn:aws:sns:{REGION}:123456789012:app"


class SNSTest(PushScenarios, PushTest):
    service_name = "APNS"
    queue = "apns"
    people = ("plain", "disabled", "busy")
    useless = ((400, "InvalidParameter", "Invalid parameter: Token Reason: iOS device tokens must be hexadecimal"),)

    @classmethod
    def started(cls):
        def make(folder):
            (folder / "secret.txt").write_text(SECRET + "\n", encoding="ascii")
            cls.service = SNS(folder, KEY, SECRET, REGION)

        return pushed_server(cls, make, lambda: ["--sns-url", cls.service.url])

    @classmethod
    def set_credentials(cls):
        cls.change(
            "set", "sns", "--access-key", KEY, "--secret-file", cls.server.folder / "secret.txt", "--region", REGION,
            "--apns-application", f"{APPLICATION}/APNS/phones", "--fcm-application", f"{APPLICATION}/GCM/phones")
        cls.change("select", "sns")

    def pushed(self, name, *answers):
        device, _ = self.enroll(f"auth0|{name}", name.encode().hex().ljust(64, "0").upper())
        self.service.answers.extend(answers)
        return device, self.start(f"auth0|{name}")

    def test_a_request_reaches_the_device_and_its_withdrawal_too(self):
        device, started = self.pushed("plain")
        _, message, attributes = self.service.next()
        payload = json.loads(message["APNS"])
        self.assertEqual(payload["mfa"]["dai"], device)
        self.assertEqual(attributes["AWS.SNS.MOBILE.APNS.PUSH_TYPE"], "alert")
        self.assertEqual(attributes["AWS.SNS.MOBILE.APNS.COLLAPSE_ID"], payload["mfa"]["txlnkid"])
        self.cancel(started)
        _, message, attributes = self.service.next()
        self.assertEqual(json.loads(message["APNS"])["withdrawn"]["txlnkid"], payload["mfa"]["txlnkid"])
        self.assertEqual(attributes["AWS.SNS.MOBILE.APNS.PUSH_TYPE"], "background")
        self.assertEqual(self.service.problems, [])

    def test_a_disabled_endpoint_is_enabled_once(self):
        device, _ = self.pushed("disabled")
        arn, _, _ = self.service.next()
        self.service.disabled.add(arn)
        self.start("auth0|disabled")
        self.assertEqual(self.service.next()[0], arn)
        self.service.disabled.add(arn)
        self.start("auth0|disabled")
        eventually(lambda: "APNS" not in self.shown(device))
        self.assertIn("DeleteEndpoint", self.service.actions)

    def test_a_busy_service_and_garbage_lose_nothing(self):
        self.pushed("busy", "cut", "garbage", (400, "Throttling"), (503, "ServiceUnavailable"))
        self.service.next()
        self.assertTrue(self.service.messages.empty(), "once")
        self.assertEqual(self.service.problems, [])

    def test_credentials_are_proved_without_a_message(self):
        found = json.loads(self.command(
            "check", "--json", "--trusted-authorities", self.server.folder / "push.pem", "--outgoing-networks",
            "127.0.0.0/8", "--sns-url", self.service.url))
        self.assertEqual([finding["state"] for finding in found], ["ok", "ok"])
