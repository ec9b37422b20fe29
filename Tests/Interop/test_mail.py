"""Mail to a server that requires TLS and a password: aiosmtpd."""

import email
import email.policy
import json
import subprocess

from login import CALLBACK, EMAIL, LoginTest
from mail_server import PASSWORD, USER, MailedServer, Sink
from pages import Browser
from programs import DEADLINE, PROGRAMS, eventually


class MailTest(MailedServer, LoginTest):
    def ask_for_a_link(self):
        browser = Browser(self.issuer)
        page = browser.open(
            f"{self.issuer}authorize?response_type=code&client_id=mobile&redirect_uri={CALLBACK}&scope=openid"
            "&code_challenge_method=S256&code_challenge=" + "A" * 43)
        page = browser.open(page.links["Forgot your password?"])
        browser.submit(page, "Send the link", email=EMAIL)


class StartTLSTest(MailTest):
    """smtp with STARTTLS before any other command (RFC 3207)."""

    def test_the_link_comes_over_tls_from_who_logged_in(self):
        self.ask_for_a_link()
        is_secure, sender, recipients, text = self.sink.mails.get(timeout=DEADLINE)
        self.assertTrue(is_secure)
        self.assertEqual((sender, recipients), ("no-reply@example.com", [EMAIL]))
        self.assertIn("/u/reset-password", text.replace("=\r\n", ""))
        self.assertEqual(self.sink.logins.get(timeout=DEADLINE), (USER, PASSWORD))
        self.assertEqual(self.sink.names.get(timeout=DEADLINE), "example.com")


class ImplicitTLSTest(StartTLSTest):
    """smtps (RFC 8314)."""

    is_implicit = True


class LowerCaseTest(StartTLSTest):
    """Keywords in lower case (RFC 5321 4.1.1.1)."""

    @classmethod
    def prepare(cls, folder):
        super().prepare(folder)
        cls.sink.spelled = str.lower


class OldFormTest(StartTLSTest):
    """`AUTH=LOGIN PLAIN` alone, the form from before RFC 2554."""

    @classmethod
    def prepare(cls, folder):
        super().prepare(folder)
        cls.sink.spelled = lambda line: line.replace("AUTH ", "AUTH=")


class ThisMachineTest(StartTLSTest):
    """STARTTLS of a server on this machine, with a certificate that nobody signed for this name."""

    host = "127.0.0.1"
    authority = "somebody"


class NoMechanismTest(MailTest):
    """A server that takes no password gets no mail, and no check says that it took the login."""

    @classmethod
    def prepare(cls, folder):
        super().prepare(folder)
        cls.sink.spelled = lambda line: line.replace("AUTH LOGIN PLAIN", "AUTH GSSAPI")

    def test_nothing_is_sent_or_reported(self):
        self.ask_for_a_link()
        eventually(lambda: "the server offers no login by PLAIN or LOGIN" in self.server.errors())
        self.assertTrue(self.sink.logins.empty() and self.sink.mails.empty())
        checked = subprocess.run(
            [PROGRAMS / "countersign", "doctor", "--only", "providers", "--data", self.server.data, *map(
                str, self.options(self.server.folder))], capture_output=True, check=False, timeout=DEADLINE)
        self.assertIn(b"the server offers no login by PLAIN or LOGIN", checked.stdout)


class ForeignAuthorityTest(MailTest):
    """A mail server with an untrusted certificate gets neither the password nor the mail."""

    authority = "somebody"

    def test_nothing_is_said_to_it(self):
        self.ask_for_a_link()
        eventually(lambda: "is tried again" in self.server.errors())
        self.assertTrue(self.sink.logins.empty() and self.sink.mails.empty())


class TenantMailTest(MailTest):
    """A tenant's own mail server and templates, and returned mails."""

    @classmethod
    def prepare(cls, folder):
        super().prepare(folder)
        cls.own = Sink(folder, cls.authority, False)
        cls.addClassCleanup(cls.own.stop)

    @classmethod
    def options(cls, folder):
        return [*super().options(folder), "--outgoing-networks", "127.0.0.0/8"]

    def countersign(self, *arguments, given=None):
        finished = subprocess.run(
            [PROGRAMS / "countersign", *arguments, "--data", self.server.data], input=given, capture_output=True,
            check=False, timeout=DEADLINE)
        self.assertEqual(finished.returncode, 0, finished.stderr.decode())
        return finished.stdout.decode()

    def reloads(self):
        return self.server.errors().count("configuration reloaded")

    def received(self):
        is_secure, sender, recipients, text = self.own.mails.get(timeout=DEADLINE)
        self.assertTrue(is_secure)
        self.assertEqual((sender, recipients), ("shop@tenant.example", [EMAIL]))
        return email.message_from_string(text, policy=email.policy.default)

    def set_provider(self):
        host, port = self.own.url.rsplit("/", 1)[1].split(":")
        document = {
            "name": "smtp", "default_from_address": "shop@tenant.example",
            "credentials": {"smtp_host": host, "smtp_port": int(port), "smtp_user": USER, "smtp_pass": PASSWORD}}
        self.countersign(
            "mail", "provider", "set", "--tenant", "interop", "--file", "-", given=json.dumps(document).encode())

    def test_a_tenant_sends_by_its_own_server_with_its_own_template(self):
        self.set_provider()
        body = self.server.folder / "body.html"
        body.write_text("<h1>{{ friendly_name }}</h1><p>{{ user.email }}: <a href='{{ url }}'>Go</a></p>", encoding="utf-8")
        self.countersign(
            "mail", "template", "set", "reset_email", "--tenant", "interop", "--subject", "Neu: {{ friendly_name | upcase }} é",
            "--from", "Der Laden <help@tenant.example>", "--body", body)
        refused = subprocess.run(
            [PROGRAMS / "countersign", "mail", "template", "set", "reset_email", "--tenant", "interop", "--subject", "{{ x",
             "--data", self.server.data], capture_output=True, check=False, timeout=DEADLINE)
        self.assertIn(b"line 1, column 1", refused.stderr)
        before = self.reloads()
        warned = subprocess.run(
            [PROGRAMS / "countersign", "mail", "template", "set", "verify_email", "--tenant", "interop", "--subject",
             "{{ binding_message }} {{ user.nickname }}", "--data", self.server.data],
            capture_output=True, check=True, timeout=DEADLINE)
        self.assertIn(b"no mail of the kind verify_email has the values binding_message;", warned.stderr)
        eventually(lambda: self.reloads() > before)
        # The server answers for a moment with a failure that may pass, and the mail comes once.
        self.own.replies.put("451 4.3.0 later")
        self.ask_for_a_link()
        mail = self.received()
        self.assertIn("NEU:", mail["Subject"].upper())
        self.assertEqual(mail["From"], "Der Laden <help@tenant.example>")
        self.assertEqual(mail.get_content_type(), "multipart/alternative")
        self.assertTrue(mail["Content-Language"])
        self.assertIn(f"<p>{EMAIL}: <a href='https://", mail.get_body(("html",)).get_content())
        self.assertIn("/u/reset-password?ticket=", mail.get_body(("plain",)).get_content())
        self.assertTrue(self.own.mails.empty() and self.sink.mails.empty())
        self.bounce(mail)

    def bounce(self, mail):
        """A report of a server that sets a Message-ID of its own, as Amazon's does."""
        report = f"""Content-Type: multipart/report; report-type=delivery-status; boundary=B

--B
Content-Type: message/delivery-status

Reporting-MTA: dns; mail.example

Final-Recipient: rfc822; {EMAIL}
Action: failed
Status: 5.1.1

--B
Content-Type: text/rfc822-headers

To: {EMAIL}
Message-ID: <0102019a@eu-west-1.amazonses.com>
X-Countersign-Id: {{}}
--B--
"""
        own = mail["X-Countersign-Id"]
        self.assertEqual(mail["Message-ID"], f"<{own}@tenant.example>")
        forged = own.replace("x", "x0")
        self.assertIn("ignored", self.countersign("mail", "bounce", "--json", given=report.format(forged).encode()))
        taken = json.loads(self.countersign("mail", "bounce", "--json", given=report.format(own).encode()))
        self.assertEqual(taken["email"], EMAIL)
        user = json.loads(self.countersign("user", "show", taken["user_ids"][0], "--tenant", "interop", "--json"))
        self.assertEqual(user["email_bounce"], "5.1.1")


# Python would run it without a way.
del MailTest
