"""`countersign doctor` on credentials at push services and mail servers: right, wrong, unreachable, and of another time."""

import json
import re
import subprocess

from cryptography.hazmat.primitives.asymmetric import ec, rsa

from mail_server import PASSWORD, USER, MailedServer, Sink
from programs import DEADLINE, PROGRAMS, InteropTest
from push_services import FCM, APNs, PushTest, pem

TEAM, KEY_ID, APP = "DEF123GHIJ", "ABC123DEFG", "com.example.app"
PROJECT, ACCOUNT = "example-1", "push@example-1.iam.gserviceaccount.com"


class DoctorTest(MailedServer, InteropTest):
    enroll, post = PushTest.enroll, PushTest.post

    @classmethod
    def prepare(cls, folder):
        super().prepare(folder)
        cls.relay = Sink(folder, cls.authority, False)
        cls.addClassCleanup(cls.relay.stop)
        cls.apple_key, cls.google_key = ec.generate_private_key(ec.SECP256R1()), rsa.generate_private_key(65537, 2048)
        cls.apple = APNs(folder, APP, cls.apple_key, TEAM, KEY_ID)
        cls.addClassCleanup(cls.apple.stop)
        cls.google = FCM(folder, cls.google_key, PROJECT, ACCOUNT)
        cls.addClassCleanup(cls.google.stop)
        (folder / "AuthKey.p8").write_text(pem(cls.apple_key), encoding="ascii")
        (folder / "account.json").write_text(cls.account(cls.google_key), encoding="ascii")

    @staticmethod
    def account(key):
        return json.dumps({
            "type": "service_account", "project_id": PROJECT, "private_key_id": "0af1", "private_key": pem(key),
            "client_email": ACCOUNT, "token_uri": "https://oauth2.googleapis.com/token"})

    @classmethod
    def options(cls, folder):
        authorities = folder / "authorities.pem"
        authorities.write_text(
            "".join((folder / f"{name}.pem").read_text(encoding="ascii") for name in ("mail-authority", "push")),
            encoding="ascii")
        cls.outgoing = [
            "--trusted-authorities", authorities, "--outgoing-networks", "127.0.0.0/8", "--apns-url", cls.apple.url,
            "--fcm-url", cls.google.url, "--google-token-url", f"{cls.google.url}/token"]
        cls.settings = super().options(folder)
        first = cls.settings.index("--trusted-authorities")
        cls.settings[first:first + 2] = cls.outgoing
        return cls.settings

    def command(self, *arguments, given=None):
        return subprocess.run(
            [PROGRAMS / "countersign", *map(str, arguments), "--data", self.server.data], input=given,
            capture_output=True, check=False, timeout=DEADLINE)

    def change(self, *arguments, given=None):
        done = self.command(*arguments, "--tenant", "interop", given=given)
        self.assertEqual(done.returncode, 0, done.stderr.decode())

    def set_mail(self, port=None, password=PASSWORD, **more):
        host, own = self.relay.url.rsplit("/", 1)[1].split(":")
        document = {
            "name": "smtp", "default_from_address": "shop@tenant.example",
            "credentials": {
                "smtp_host": host, "smtp_port": port or int(own), "smtp_user": USER, "smtp_pass": password}, **more}
        self.change("mail", "provider", "set", "--file", "-", given=json.dumps(document).encode())

    def set_push(self, key_id=KEY_ID, key=None):
        folder = self.server.folder
        self.change(
            "push", "set", "apns", "--bundle-id", APP, "--key", folder / "AuthKey.p8", "--key-id", key_id, "--team-id",
            TEAM)
        file = folder / "account.json"
        if key:
            file = folder / "other-account.json"
            file.write_text(self.account(key), encoding="ascii")
        self.change("push", "set", "fcm", file)

    def examined(self, only="providers"):
        """The exit status, and the findings by their subject without its port."""
        done = self.command("doctor", "--json", "--only", only, "--tenant", "interop", *self.settings)
        for secret in (PASSWORD.encode(), b"PRIVATE", b"wrong password"):
            self.assertNotIn(secret, done.stdout + done.stderr)
        found = json.loads(done.stdout)["findings"]
        return done.returncode, {re.sub(r":[0-9]+$", "", finding["subject"]): finding for finding in found}

    SERVERS = "mail server smtp://127.0.0.2"
    TENANTS = "interop: mail server 127.0.0.2"
    APPLE = f"interop: APNs {APP} (production)"
    GOOGLE = f"interop: FCM {PROJECT}"

    def states(self):
        status, found = self.examined()
        return status, {subject: finding["state"] for subject, finding in found.items()}, found

    def test_right_credentials_are_good_and_nothing_is_sent(self):
        self.set_mail()
        self.set_push()
        status, states, found = self.states()
        self.assertEqual(
            states, {self.SERVERS: "ok", self.TENANTS: "ok", self.APPLE: "ok", self.GOOGLE: "ok"}, found)
        self.assertEqual(status, 0)
        self.assertTrue(self.relay.mails.empty() and self.sink.mails.empty())
        self.assertTrue(self.apple.messages.empty() and self.google.messages.empty())
        for arguments in (("mail", "provider", "check"), ("push", "check")):
            done = self.command(*arguments, "--json", "--tenant", "interop", *self.outgoing)
            self.assertEqual(done.returncode, 0, done.stderr.decode())
            self.assertEqual({finding["state"] for finding in json.loads(done.stdout)}, {"ok"})

    def test_a_phone_gets_a_message_that_shows_nothing(self):
        self.set_push()
        device, _ = self.enroll("auth0|without-phone", "ab" * 32, service="APNS")

        def check():
            done = self.command("push", "check", "--device", device, "--json", "--tenant", "interop", *self.outgoing)
            return done.returncode, json.loads(done.stdout)[0]

        self.assertEqual(check()[0], 0)
        token, fields, payload = self.apple.next()
        self.assertEqual((token, fields["apns-push-type"]), ("ab" * 32, "background"))
        self.assertEqual(payload["aps"], {"content-available": 1})
        self.apple.answers.append("Unregistered")
        status, finding = check()
        self.assertEqual(status, 1)
        self.assertIn("Unregistered", finding["finding"])
        self.assertIn("open the app", finding["advice"])
        shown = self.command("device", "show", device, "--json", "--tenant", "interop").stdout
        self.assertIn(b"APNS", shown, "a check changes nothing")

    def test_a_test_mail_goes_by_the_tenants_mail_server(self):
        self.set_mail()

        def check(address):
            return self.command(
                "mail", "provider", "check", "--to", address, "--json", "--tenant", "interop", *self.outgoing)

        done = check("ann@shop.example")
        self.assertEqual(done.returncode, 0, done.stderr.decode() + done.stdout.decode())
        sender, mail = self.relay.next_to("ann@shop.example")
        self.assertEqual(sender, "shop@tenant.example")
        self.assertIn("needs no answer", mail.get_body(("plain",)).get_content())
        self.relay.unknown.add("nobody@shop.example")
        done = check("nobody@shop.example")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"5.1.1", done.stdout)

    def test_wrong_credentials_are_faults_with_advice(self):
        self.set_mail(password="a wrong password")
        self.set_push(key_id="WRONG12345", key=rsa.generate_private_key(65537, 2048))
        status, states, found = self.states()
        self.assertEqual(status, 1)
        self.assertEqual(
            states, {self.SERVERS: "ok", self.TENANTS: "fault", self.APPLE: "fault", self.GOOGLE: "fault"}, found)
        self.assertIn("refused the login: 535", found[self.TENANTS]["finding"])
        for subject, command in (
                (self.TENANTS, "mail provider set"), (self.APPLE, "push set apns"), (self.GOOGLE, "push set fcm")):
            self.assertIn(f"countersign {command}", found[subject]["advice"])
        # The operator's own.
        self.sink.password = "changed"
        self.addCleanup(setattr, self.sink, "password", PASSWORD)
        _, found = self.examined()
        self.assertEqual(found[self.SERVERS]["state"], "fault")
        self.assertIn("smtp-password-file", found[self.SERVERS]["advice"])

    def test_servers_that_cannot_be_reached_are_faults_in_bounded_time(self):
        self.set_mail(port=1)
        self.set_push()
        self.sink.down()
        self.addCleanup(self.sink.up)
        elsewhere = [
            "https://127.0.0.2:1" if text in (self.apple.url, self.google.url) else
            "https://127.0.0.2:1/token" if text == f"{self.google.url}/token" else text for text in self.settings]
        self.settings, kept = elsewhere, self.settings
        self.addCleanup(setattr, self, "settings", kept)
        status, states, found = self.states()
        self.assertEqual(status, 1)
        self.assertEqual(set(states.values()), {"fault"}, found)
        self.assertEqual(len(states), 4, found)

    def test_a_provider_without_smtp_is_a_warning(self):
        self.change(
            "mail", "provider", "set", "--file", "-", given=json.dumps({
                "name": "mailgun", "default_from_address": "shop@tenant.example",
                "credentials": {"api_key": "key-1", "domain": "tenant.example", "region": "eu"}}).encode())
        self.set_push()
        status, states, found = self.states()
        self.assertEqual(status, 0, found)
        self.assertEqual(states["interop: mail"], "warning")
        self.assertIn("mailgun", found["interop: mail"]["finding"])

    def test_the_time_that_a_provider_tells_is_compared_with_the_clock(self):
        self.set_mail()
        self.set_push()
        self.google.clock_offset = 3600
        self.addCleanup(setattr, self.google, "clock_offset", 0)
        _, found = self.examined("providers,clock")
        told = [finding for subject, finding in found.items() if subject.startswith("127.0.0.2")]
        self.assertEqual([finding["state"] for finding in told], ["fault"], found)
        self.assertIn("behind", told[0]["finding"])
