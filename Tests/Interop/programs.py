"""The real programs for tests: a server on a folder of its own, a phone, and a configured tenant.

Every wait is for an event, at most until a deadline.
"""

import contextlib
import functools
import json
import os
import pathlib
import queue
import random
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request

try:
    from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException
except ImportError:
    # Tests of the environment without a browser wait for programs alone.
    UNDRAWN = ()
else:
    # A page that is being drawn has an element not yet, or no longer.
    UNDRAWN = (NoSuchElementException, StaleElementReferenceException)

PROGRAMS = pathlib.Path(os.environ["COUNTERSIGN_PROGRAMS"])
DEADLINE = 30
CIBA = "urn:openid:params:grant-type:ciba"
AUDIENCE = "https://api.example.com"
# The payment of the documents.
PAYMENT = {
    "type": "money_transfer",
    "instructedAmount": {"amount": 2500, "currency": "USD"},
    "sourceAccount": "xxxxxxxxxxx1234",
    "destinationAccount": "xxxxxxxxxxx9876",
    "beneficiary": "Hanna Herwitz",
    "subject": "A Lannister Always Pays His Debts",
}


def free_port(host="127.0.0.1"):
    """A port below those that Linux hands out by itself, so that nothing takes it before the server of the test does."""
    while True:
        port = random.randrange(20_000, 32_000)
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind((host, port))
            return port


def run(program, *arguments, environment=None):
    """Standard output of a program. If the program fails, the test fails."""
    done = subprocess.run(
        [PROGRAMS / program, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=DEADLINE, env={**os.environ, **(environment or {})}, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{program} {' '.join(map(str, arguments))} exited with {done.returncode}: {done.stderr}")
    return done.stdout


class Child:
    """A running program, and its output."""

    def __init__(self, program, *arguments):
        # A file, because a full pipe would block the program.
        self._errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [PROGRAMS / program, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=self._errors, text=True)
        self._lines = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        with self.process.stdout as output:
            for line in output:
                self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def line(self, wanted):
        """The next line for which `wanted` is true, and the lines before it."""
        seen = []
        deadline = time.monotonic() + DEADLINE
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"the line did not come; there were {seen}; {self.errors()}") from None
            if line is None:
                raise AssertionError(f"the program ended; it printed {seen}; {self.errors()}")
            seen.append(line)
            if wanted(line):
                return seen

    def errors(self):
        # Without seeking, because the program writes at the file's shared position.
        size = os.fstat(self._errors.fileno()).st_size
        return os.pread(self._errors.fileno(), size, 0).decode(errors="replace")

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(DEADLINE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(DEADLINE)
        self._errors.close()
        return self.process.returncode


class Server(Child):
    """`countersign serve` on an empty folder, with its development tenant and a configured one."""

    def __init__(self, before=None, options=None):
        """`before` creates the files that the additional `options` name. Both receive the folder."""
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="countersign-interop-"))
        # The name that the documents use, which is the default.
        self.data = self.folder / "countersign-data"
        if before:
            before(self.folder)
        super().__init__(
            "countersign", "serve", "--data", self.data, "--port", 0, "--metrics-port", "none",
            *(options(self.folder) if options else []))
        self.printed = self.line(lambda line: line.startswith("Countersign listens on "))
        self.port = int(self.printed[-1].rsplit(":", 1)[1])
        self.authority = self.data / "tls" / "ca.pem"
        # Read by requests, httpx, urllib and curl.
        for variable in ("REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "CURL_CA_BUNDLE"):
            os.environ[variable] = str(self.authority)
        for variable in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
            os.environ.pop(variable, None)

    @functools.cached_property
    def development(self):
        """The document of the development tenant, which the first server on a store makes."""
        return json.loads((self.data / "development.json").read_text(encoding="utf-8"))

    def apply(self, document, name):
        file = self.folder / name
        file.write_text(json.dumps(document), encoding="utf-8")
        return run("countersign", "apply", file, "--data", self.data)

    def ticket(self, user, tenant):
        """The text of the QR code that a user scans."""
        return next(word for word in self.made_ticket(user, tenant).split() if word.startswith("otpauth://"))

    def made_ticket(self, user, tenant, *more):
        """The output of `countersign device ticket`."""
        return run("countersign", "device", "ticket", "--data", self.data, "--user", user, "--tenant", tenant, *more)

    def phone(self, user, tenant="dev", name="phone"):
        return Phone(self.authority, self.ticket(user, tenant), self.folder / f"{name}.json")

    def mailed_link(self, path):
        """The newest mailed link below a path. A development server keeps its mail in a folder."""
        def newest():
            mails = sorted((self.data / "mail").glob("*.eml"))
            return next((word for mail in reversed(mails) for word in mail.read_text(encoding="utf-8").split()
                         if path in word), None)

        return eventually(newest)

    def stop(self):
        status = super().stop()
        shutil.rmtree(self.folder, ignore_errors=True)
        return status


class Phone:
    """An enrolled `guardian`."""

    def __init__(self, authority, uri, store):
        self._options = ["--store", store, "--ca", authority, "--json"]
        self.id = json.loads(run("guardian", "enroll", uri, *self._options))["id"]

    def answer(self, decision, *more):
        """Answers one request, and returns the phone's output."""
        lines = run(
            "guardian", "watch", "--answer", decision, "--count", 1, *more, *self._options).splitlines()
        events = [json.loads(line) for line in lines]
        asked = [event for event in events if event["event"] == "request"]
        outcome = {"allow": "allowed", "reject": "rejected"}[decision]
        assert events[-1]["event"] == outcome and len(asked) == 1, events
        return asked[0]

    @contextlib.contextmanager
    def watching(self, decision):
        """Answers all requests meanwhile."""
        child = Child("guardian", "watch", "--answer", decision, *self._options)
        try:
            yield child
        finally:
            child.stop()


def eventually(question):
    """Polls until the answer is true, because another process cannot signal that it loaded a change."""
    deadline = time.monotonic() + DEADLINE
    while time.monotonic() < deadline:
        with contextlib.suppress(*UNDRAWN):
            answer = question()
            if answer:
                return answer
        time.sleep(0.02)
    raise AssertionError("what should have become true did not")


def get(url):
    """Status and text of a GET."""
    try:
        with urllib.request.urlopen(url, timeout=DEADLINE) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, refused.read().decode()


class InteropTest(unittest.TestCase):
    """One server for a class, with a tenant without request limits."""

    USERS = ()

    @classmethod
    def setUpClass(cls):
        cls.server = cls.started()
        cls.addClassCleanup(cls.server.stop)
        cls.domain = f"127.0.0.1:{cls.server.port}"
        cls.issuer = f"https://{cls.domain}/"
        cls.client_id, cls.client_secret = "interop-agent", "an-agent-secret-of-forty-eight-characters-or-so"
        cls.apply(cls.configuration())
        cls.phones = {user: cls.server.phone(user, "interop", user.replace("|", "-")) for user in cls.USERS}

    @classmethod
    def apply(cls, configuration):
        """Returns once the server answers by the configuration, which its tenant's name tells: the tenant may have
        existed before."""
        cls.server.apply(configuration, "interop.json")
        name = json.dumps(configuration["tenants"][0]["name"])
        # No earlier request, since Python's TLS reads the authority's file at the first connection.
        eventually(lambda: f'"name":{name}' in get(f"{cls.issuer}approver/settings.json")[1])

    @classmethod
    def started(cls):
        return Server()

    @classmethod
    def configuration(cls):
        scopes = {"read:profile": "Read your profile", "write:profile": "Change your profile"}
        return {"tenants": [{
            "id": "interop", "name": "Interoperability", "host": cls.domain,
            "settings": {"requests_per_minute_per_user": 1000, "actions_per_minute": 1000, "poll_interval": 1,
                         "rejection_pause": 0},
            "apis": [{
                "identifier": AUDIENCE, "name": "Payments",
                "scopes": [{"value": value, "description": text} for value, text in scopes.items()],
                "authorization_details": [{"type": "money_transfer"}], "enforce_policies": True,
                "allow_offline_access": True,
            }],
            "roles": [{"id": "reader", "name": "Reader", "permissions": [
                {"resource_server_identifier": AUDIENCE, "permission_name": "read:profile"}]}],
            "users": [
                {"user_id": user, "name": user, "roles": ["reader"]} for user in (*cls.USERS, "auth0|without-phone")],
            "clients": [{
                "client_id": cls.client_id, "name": "Interoperability agent", "client_secret": cls.client_secret,
                "grant_types": [CIBA, "refresh_token"],
            }],
        }]}

    def hint(self, user, issuer=None):
        return json.dumps({"format": "iss_sub", "iss": issuer or self.issuer, "sub": user})
