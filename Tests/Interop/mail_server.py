"""aiosmtpd as a mail server that requires TLS and a password, with the faults that a test plans."""

import asyncio
import email
import email.policy
import logging
import queue
import ssl
import subprocess
import threading

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult

from programs import DEADLINE, Server, free_port

# Its refusals are tested.
logging.getLogger("mail.log").setLevel(logging.CRITICAL)
# Not a loopback address for which the server allows plain SMTP.
HOST = "127.0.0.2"
USER, PASSWORD = "countersign", "a password of the mail server"


class Faulty(SMTP):
    """Fails at the next mails as the sink's `faults` say."""

    def connection_made(self, transport):
        super().connection_made(transport)
        self.event_handler.transports.append(transport)

    async def smtp_DATA(self, argument):
        sink = self.event_handler
        if sink.next_fault == "cut":
            sink.take_fault()
            self.transport.abort()
            return
        await super().smtp_DATA(argument)

    async def smtp_MAIL(self, argument):
        sink = self.event_handler
        if sink.next_fault == "garbage":
            sink.take_fault()
            self._writer.write(bytes(range(256)) * 16 + b"\r\n")
            await self._writer.drain()
            self.transport.close()
            return
        await super().smtp_MAIL(argument)


class Sink:
    """A mail server that keeps its mail."""

    def __init__(self, folder, authority, is_implicit, host=HOST):
        self.is_implicit = is_implicit
        self.host = host
        self.spelled = str
        """How the lines of the reply to EHLO are spelled."""
        self.delay = 0
        """Seconds before each mail is accepted."""
        self.password = PASSWORD
        self.replies = queue.SimpleQueue()
        """Replies to the next mails in place of their acceptance."""
        self.faults = []
        """Faults of the next mails: `cut` or `garbage` in the dialogue, `lost` for a reply that does not arrive, and
        `slow` for one that waits for `release`."""
        self.unknown = set()
        """Addresses without a mailbox."""
        self.recipient_replies = []
        """Refusals of the next recipients."""
        self.names = queue.SimpleQueue()
        """Names in the greetings of those who sent a mail."""
        self.release = threading.Event()
        self.transports = []
        self.mails = queue.SimpleQueue()
        self.logins = queue.SimpleQueue()
        self._certificate = certificate(folder, authority)
        self._port = free_port(host)
        self.url = f"{'smtps' if is_implicit else 'smtp'}://{host}:{self._port}"
        self.up()

    def up(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self._certificate)
        how = {"ssl_context": context} if self.is_implicit else {"tls_context": context, "require_starttls": True}
        self.controller = Controller(
            self, hostname=self.host, port=self._port, auth_required=True, authenticator=self._log_in,
            # aiosmtpd must be told that a connection with TLS from the first byte has TLS.
            auth_require_tls=not self.is_implicit, **how)
        self.controller.factory = lambda: Faulty(self, **self.controller.SMTP_kwargs)
        self.controller.start()

    def down(self):
        """Ends the server with its connections."""
        transports, self.transports = self.transports, []
        for transport in transports:
            self.controller.loop.call_soon_threadsafe(transport.abort)
        self.controller.stop()

    def stop(self):
        self.release.set()
        self.controller.stop(no_assert=True)

    @property
    def next_fault(self):
        return self.faults[0] if self.faults else None

    def take_fault(self):
        return self.faults.pop(0)

    def _log_in(self, _server, _session, _envelope, _mechanism, data):
        self.logins.put((data.login.decode(), data.password.decode()))
        # Without `handled`, aiosmtpd answers a refusal.
        return AuthResult(
            success=(data.login.decode(), data.password.decode()) == (USER, self.password), handled=False)

    async def handle_EHLO(self, _server, session, _envelope, name, lines):
        session.host_name = name
        return [self.spelled(line) for line in lines]

    async def handle_RCPT(self, _server, _session, envelope, address, _options):
        if address in self.unknown:
            return "550 5.1.1 no such mailbox"
        if self.recipient_replies:
            return self.recipient_replies.pop(0)
        envelope.rcpt_tos.append(address)
        return "250 taken"

    async def handle_DATA(self, server, session, envelope):
        if not self.replies.empty():
            return self.replies.get()
        fault = self.take_fault() if self.next_fault in ("lost", "slow") else None
        await asyncio.sleep(self.delay)
        if fault == "slow":
            await asyncio.get_running_loop().run_in_executor(None, self.release.wait, DEADLINE)
        self.names.put(session.host_name)
        # A server with TLS from the first byte accepts nothing else.
        self.mails.put((
            self.is_implicit or session.ssl is not None, envelope.mail_from, envelope.rcpt_tos, envelope.content.decode()))
        if fault == "lost":
            server.transport.abort()
        return "250 taken"

    def next_to(self, address, within=DEADLINE):
        """The next mail to an address, with its sender. Earlier ones to others belong to other tests."""
        while True:
            is_secure, sender, recipients, text = self.mails.get(timeout=within)
            if recipients == [address]:
                assert is_secure
                return sender, email.message_from_string(text, policy=email.policy.default)


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


class MailedServer:
    """A server that sends its mail to a sink, for a test's class."""

    host = HOST
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
        cls.sink = Sink(folder, cls.authority, cls.is_implicit, cls.host)
        cls.addClassCleanup(cls.sink.stop)
        password = folder / "password"
        password.touch(mode=0o600)
        password.write_text(PASSWORD, encoding="utf-8")

    @classmethod
    def options(cls, folder):
        return [
            "--smtp-url", cls.sink.url, "--smtp-user", USER, "--smtp-password-file", folder / "password",
            "--mail-from", "no-reply@example.com", "--trusted-authorities", folder / "mail-authority.pem"]
