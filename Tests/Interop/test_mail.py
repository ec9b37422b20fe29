"""Mail to a server that requires TLS and a password: aiosmtpd."""

import logging
import queue
import socket
import ssl
import subprocess

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

from login import CALLBACK, EMAIL, LoginTest
from pages import Browser
from programs import DEADLINE, Server, eventually

# Its refusals are tested.
logging.getLogger("mail.log").setLevel(logging.CRITICAL)
# Not a loopback address for which the server allows plain SMTP.
HOST = "127.0.0.2"
USER, PASSWORD = "countersign", "a password of the mail server"


class Sink:
    """A mail server that keeps its mail."""

    def __init__(self, folder, authority, is_implicit):
        self.is_implicit = is_implicit
        self.mails = queue.SimpleQueue()
        self.logins = queue.SimpleQueue()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate(folder, authority))
        with socket.socket() as probe:
            probe.bind((HOST, 0))
            port = probe.getsockname()[1]
        how = {"ssl_context": context} if is_implicit else {"tls_context": context, "require_starttls": True}
        self.controller = Controller(
            self, hostname=HOST, port=port, auth_required=True, authenticator=self._log_in,
            # aiosmtpd must be told that a connection with TLS from the first byte has TLS.
            auth_require_tls=not is_implicit, **how)
        self.controller.start()
        self.url = f"{'smtps' if is_implicit else 'smtp'}://{HOST}:{port}"

    def _log_in(self, _server, _session, _envelope, _mechanism, data):
        self.logins.put((data.login.decode(), data.password.decode()))
        return AuthResult(success=(data.login.decode(), data.password.decode()) == (USER, PASSWORD))

    async def handle_DATA(self, _server, session, envelope):
        # A server with TLS from the first byte accepts nothing else.
        self.mails.put((self.is_implicit or session.ssl is not None, envelope.mail_from, envelope.rcpt_tos, envelope.content.decode()))
        return "250 taken"


def certificate(folder, authority):
    """Certificate and key of the mail server. The authority is created if it does not exist."""
    def openssl(*arguments):
        subprocess.run(
            ["openssl", *arguments], check=True, capture_output=True, timeout=DEADLINE, cwd=folder)

    new_key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    if not (folder / f"{authority}.pem").exists():
        openssl(
            "req", "-x509", "-days", "1", *new_key, "-subj", f"/CN={authority}", "-keyout", f"{authority}.key", "-out",
            f"{authority}.pem")
    openssl("req", *new_key, "-subj", "/CN=mail", "-keyout", "mail.key", "-out", "mail.csr")
    (folder / "mail.ext").write_text(f"subjectAltName=IP:{HOST}\n", encoding="ascii")
    openssl(
        "x509", "-req", "-in", "mail.csr", "-CA", f"{authority}.pem", "-CAkey", f"{authority}.key", "-CAcreateserial",
        "-days", "1", "-extfile", "mail.ext", "-out", "mail.pem")
    return folder / "mail.pem", folder / "mail.key"


class MailTest(LoginTest):
    is_implicit = False
    """True if TLS begins with the first byte."""
    authority = "mail-authority"
    """Name of the mail server's authority. The server trusts `mail-authority`."""

    @classmethod
    def started(cls):
        return Server(before=cls.prepare, options=cls.options)

    @classmethod
    def prepare(cls, folder):
        certificate(folder, "mail-authority")
        cls.sink = Sink(folder, cls.authority, cls.is_implicit)
        cls.addClassCleanup(cls.sink.controller.stop)
        password = folder / "password"
        password.touch(mode=0o600)
        password.write_text(PASSWORD, encoding="utf-8")

    @classmethod
    def options(cls, folder):
        return [
            "--smtp-url", cls.sink.url, "--smtp-user", USER, "--smtp-password-file", folder / "password",
            "--mail-from", "no-reply@example.com", "--trusted-authorities", folder / "mail-authority.pem"]

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


class ImplicitTLSTest(StartTLSTest):
    """smtps (RFC 8314)."""

    is_implicit = True


class ForeignAuthorityTest(MailTest):
    """A mail server with an untrusted certificate gets neither the password nor the mail."""

    authority = "somebody"

    def test_nothing_is_said_to_it(self):
        self.ask_for_a_link()
        eventually(lambda: "is tried again" in self.server.errors())
        self.assertTrue(self.sink.logins.empty() and self.sink.mails.empty())


# Python would run it without a way.
del MailTest
