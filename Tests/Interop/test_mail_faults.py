"""Mail servers that fail in every way: nothing is lost, a repetition has the Message-ID of the first try, and other
tenants' mails do not wait.
"""

import json
import subprocess
import time

from auth0.authentication.back_channel_login import BackChannelLogin

from login import LoginTest
from mail_server import PASSWORD, USER, MailedServer, Sink
from programs import CIBA, DEADLINE, PROGRAMS, eventually, run

AGENT_SECRET = "a-mailing-agents-secret-of-forty-eight-characters"
TESTS = ("down", "cut", "lost", "garbage", "slow", "sender")


class FaultTest(MailedServer, LoginTest):
    """Faults of a tenant's own mail server, with STARTTLS. The other tenant uses the operator's."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.set_up_relay()

    @classmethod
    def prepare(cls, folder):
        super().prepare(folder)
        cls.relay = Sink(folder, cls.authority, False)
        cls.addClassCleanup(cls.relay.stop)

    @classmethod
    def options(cls, folder):
        return [*super().options(folder), "--outgoing-networks", "127.0.0.0/8"]

    @classmethod
    def configuration(cls):
        configuration = super().configuration()
        tenant = configuration["tenants"][0]
        tenant["users"] += [
            {"user_id": f"auth0|{name}", "name": name, "email": cls.address(name), "email_verified": True}
            for name in TESTS]
        tenant["clients"].append({
            "client_id": "mail-agent", "name": "Mailing agent", "client_secret": AGENT_SECRET, "grant_types": [CIBA],
            "async_approval_notification_channels": ["email"]})
        return configuration

    @classmethod
    def set_up_relay(cls):
        host, port = cls.relay.url.rsplit("/", 1)[1].split(":")
        document = {
            "name": "smtp", "default_from_address": "shop@tenant.example",
            "credentials": {"smtp_host": host, "smtp_port": int(port), "smtp_user": USER, "smtp_pass": PASSWORD}}
        before = eventually(lambda: cls.server.errors().count("configuration reloaded"))
        subprocess.run(
            [PROGRAMS / "countersign", "mail", "provider", "set", "--tenant", "interop", "--file", "-", "--data",
             cls.server.data], input=json.dumps(document).encode(), capture_output=True, check=True, timeout=DEADLINE)
        eventually(lambda: cls.server.errors().count("configuration reloaded") > before)

    @staticmethod
    def address(name):
        return f"{name}@example.com"

    def start(self, name):
        return BackChannelLogin(self.domain, "mail-agent", client_secret=AGENT_SECRET).back_channel_login(
            binding_message="Order 4711", login_hint=self.hint(f"auth0|{name}"), scope="openid", requested_expiry=3600)

    def arrived(self, name, within=DEADLINE):
        """The mail, with the request's message and its one Message-ID."""
        _, mail = self.relay.next_to(self.address(name), within)
        self.assertIn("Order 4711", mail.get_body(("plain",)).get_content())
        return mail["Message-ID"]

    def arrives_once(self, name):
        """True for a mail that is taken. A mail after it must be none of the same request."""
        taken = self.arrived(name)
        self.start(name)
        self.assertNotEqual(self.arrived(name), taken, "the next mail is that of the next request")
        self.assertTrue(self.relay.mails.empty())
        return taken

    def another_tenants_mail_arrives(self, name):
        address = self.address(f"other-{name}")
        run("countersign", "device", "ticket", "--data", self.server.data, "--tenant", "dev", "--user",
            self.server.development["user_id"], "--send-mail", "--email", address)
        self.sink.next_to(address)

    def test_a_server_that_is_down_gets_the_mail_when_it_is_up_again(self):
        self.relay.down()
        self.start("down")
        eventually(lambda: "is tried again" in self.server.errors())
        self.another_tenants_mail_arrives("down")
        self.relay.up()
        self.arrives_once("down")

    def test_a_connection_that_is_cut_within_the_mail(self):
        self.relay.faults += ["cut", "cut"]
        self.start("cut")
        self.another_tenants_mail_arrives("cut")
        self.arrives_once("cut")
        self.assertEqual(self.relay.faults, [])

    def test_a_mail_whose_reply_is_lost_comes_again_after_a_minute_under_the_same_id(self):
        self.relay.faults.append("lost")
        self.start("lost")
        first, begin = self.arrived("lost"), time.monotonic()
        self.assertEqual(self.arrived("lost", 90), first)
        self.assertGreater(time.monotonic() - begin, 55)

    def test_a_sender_that_is_refused_at_the_recipient(self):
        """As Postfix does (smtpd_delay_reject). The operator can correct it, so the mail is not lost."""
        self.relay.recipient_replies.append("553 5.7.1 <shop@tenant.example>: not owned by user")
        self.start("sender")
        eventually(lambda: "not owned by user" in self.server.errors())
        self.arrives_once("sender")

    def test_garbage(self):
        self.relay.faults.append("garbage")
        self.start("garbage")
        self.another_tenants_mail_arrives("garbage")
        self.arrives_once("garbage")
        self.assertEqual(self.relay.faults, [])

    def test_a_slow_reply_delays_no_other_tenant(self):
        self.relay.faults.append("slow")
        self.start("slow")
        eventually(lambda: not self.relay.faults)
        self.another_tenants_mail_arrives("slow")
        self.assertTrue(self.relay.mails.empty())
        self.relay.release.set()
        self.arrives_once("slow")


class ImplicitTLSFaultTest(FaultTest):
    """The same for the operator's mail server with TLS from the first byte (RFC 8314)."""

    is_implicit = True

    @classmethod
    def set_up_relay(cls):
        cls.relay = cls.sink

    def another_tenants_mail_arrives(self, name):
        """The other tenant has the same server, which may be gone."""


class FairnessTest(MailedServer, LoginTest):
    """Four tenants with slow mail servers delay neither another tenant's mail nor the operator's."""

    SLOW, SECONDS, MAILS = ("slow1", "slow2", "slow3", "slow4"), 8, 12

    @classmethod
    def prepare(cls, folder):
        super().prepare(folder)
        cls.relays = {name: Sink(folder, cls.authority, False) for name in (*cls.SLOW, "quick")}
        for name, relay in cls.relays.items():
            relay.delay = 0 if name == "quick" else cls.SECONDS
            cls.addClassCleanup(relay.stop)

    @classmethod
    def options(cls, folder):
        return [*super().options(folder), "--outgoing-networks", "127.0.0.0/8"]

    @classmethod
    def configuration(cls):
        configuration = super().configuration()
        for name, relay in cls.relays.items():
            host, port = relay.url.rsplit("/", 1)[1].split(":")
            configuration["tenants"].append({
                "id": name, "name": name, "host": f"{name}.localhost", "users": [
                    {"user_id": f"auth0|{name}", "email": f"{name}@example.com", "email_verified": True}],
                "email_provider": {
                    "name": "smtp", "default_from_address": f"shop@{name}.example",
                    "credentials": {
                        "smtp_host": host, "smtp_port": int(port), "smtp_user": USER, "smtp_pass": PASSWORD}}})
        return configuration

    def send(self, tenant, user, address):
        run("countersign", "device", "ticket", "--data", self.server.data, "--tenant", tenant, "--user", user,
            "--send-mail", "--email", address)

    def delay(self, sink, tenant, user):
        address = f"waiting-{tenant}@example.com"
        self.send(tenant, user, address)
        begin = time.monotonic()
        sink.next_to(address)
        return time.monotonic() - begin

    def test_slow_servers_delay_nobody_else(self):
        for _ in range(self.MAILS):
            for name in self.SLOW:
                self.send(name, f"auth0|{name}", f"{name}@example.com")
        delays = {"quick": [], "operator": []}
        for _ in range(3):
            delays["quick"].append(self.delay(self.relays["quick"], "quick", "auth0|quick"))
            delays["operator"].append(self.delay(self.sink, "dev", self.server.development["user_id"]))
        busy = sum(self.relays[name].mails.qsize() < self.MAILS for name in self.SLOW)
        print(f"four tenants' servers take {self.SECONDS} s a mail; others' mails took at most", {
            name: f"{max(times):.2f} s" for name, times in delays.items()})
        self.assertEqual(busy, 4, "the slow servers are still at work")
        # A mail without a request waits for the worker's tick of a second.
        self.assertLess(max(max(times) for times in delays.values()), 3)
