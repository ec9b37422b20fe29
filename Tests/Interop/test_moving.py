"""People who log in for the first time are moved here by the endpoint of docs/moving.md, a program of its own."""

import contextlib
import hashlib
import os
import socket
import sqlite3
import subprocess
import sys
import urllib.parse

import requests

from documents import snippets
from login import CALLBACK, LoginTest
from pages import Browser, Callback
from programs import DEADLINE, eventually, free_port, run

SECRET = "the-secret-of-the-old-server-of-forty-bytes"
LATER = "does not answer at the moment"


class MovingTest(LoginTest):
    @classmethod
    def setUpClass(cls):
        cls.port = free_port()
        super().setUpClass()
        cls.folder = cls.server.folder / "old"
        cls.folder.mkdir()
        users = sqlite3.connect(cls.folder / "users.db")
        users.execute("CREATE TABLE users (id TEXT, name TEXT, email TEXT, salt BLOB, hash BLOB)")
        for number in range(1, 5):
            salt = os.urandom(16)
            users.execute("INSERT INTO users VALUES (?, ?, ?, ?, ?)", [
                f"old-{number}", f"Person {number}", email(number), salt,
                hashlib.pbkdf2_hmac("sha256", password(number).encode(), salt, 100_000)])
        users.commit()
        users.close()
        (cls.folder / "endpoint.py").write_text(
            next(snippet.text for snippet in snippets("moving.md") if snippet.words == ["endpoint"]), encoding="utf-8")

    @classmethod
    def configuration(cls):
        configuration = super().configuration()
        configuration["tenants"][0]["connections"] = [{
            "name": "Username-Password-Authentication", "display_name": "E-mail", "strategy": "auth0",
            "options": {"old_server": {"url": f"http://127.0.0.1:{cls.port}/", "secret": SECRET, "timeout": 10}}}]
        return configuration

    @classmethod
    def started(cls):
        return super().started()

    @contextlib.contextmanager
    def old_server(self, secret=SECRET):
        """Runs the document's program meanwhile."""
        with open(self.folder / "log", "ab") as log:
            program = subprocess.Popen(
                [sys.executable, "endpoint.py"], cwd=self.folder, stdout=log, stderr=log,
                env={**os.environ, "OLD_SERVER_SECRET": secret, "PORT": str(self.port)})
        try:
            eventually(lambda: is_open(self.port))
            yield
        finally:
            program.terminate()
            program.wait(DEADLINE)

    def calls(self):
        return (self.folder / "log").read_text(encoding="utf-8").count('"POST ')

    def link(self):
        return f"{self.issuer}authorize?" + urllib.parse.urlencode({
            "client_id": "website", "response_type": "code", "redirect_uri": CALLBACK, "scope": "openid email profile"})

    def enter(self, number, given=None):
        """The page or the callback after the login's form."""
        return self.logged_in(Browser(self.issuer), self.link(), email(number), given or password(number))

    def claims(self, callback):
        self.assertIsInstance(callback, Callback)
        tokens = requests.post(
            f"{self.issuer}oauth/token", timeout=DEADLINE, data={
                "grant_type": "authorization_code", "code": callback["code"], "redirect_uri": CALLBACK,
                "client_id": "website", "client_secret": self.website_secret}).json()
        return requests.get(
            f"{self.issuer}userinfo", timeout=DEADLINE,
            headers={"Authorization": f"Bearer {tokens['access_token']}"}).json()

    def logged(self, kind):
        return run(
            "countersign", "log", "list", "--data", self.server.data, "--tenant", "interop", "--type", kind, "--json")

    def test_first_login_moves_and_second_is_local(self):
        with self.old_server():
            before = self.calls()
            claims = self.claims(self.enter(1))
            self.assertEqual(self.calls(), before + 1)
        self.assertEqual(claims["sub"], "auth0|old-1")
        self.assertEqual((claims["email"], claims["email_verified"], claims["name"]), (email(1), True, "Person 1"))
        self.assertEqual(self.claims(self.enter(1))["sub"], "auth0|old-1", "the old server is gone")
        self.assertIn("auth0|old-1", self.logged("user_moved"))

    def test_wrong_passwords_and_strangers_are_refused_alike(self):
        with self.old_server():
            wrong, unknown = self.enter(2, "a guess"), self.enter(99)
        for page in (wrong, unknown):
            self.assertIn("Wrong e-mail address or password.", page.text)

    def test_an_absent_or_strange_old_server_is_said_on_the_page(self):
        self.assertIn(LATER, self.enter(3).text)
        with self.old_server("another secret of the old server's own"):
            self.assertIn(LATER, self.enter(3).text)
        entries = self.logged("old_server_failed")
        self.assertIn("status 403", entries)
        for secret in (SECRET, password(3)):
            self.assertNotIn(secret, entries)
            self.assertNotIn(secret, self.server.errors())
        self.assertIn("old server", self.server.errors())
        with self.old_server():
            self.assertEqual(self.claims(self.enter(3))["sub"], "auth0|old-3")

    def test_forgotten_password(self):
        browser = Browser(self.issuer)
        page = browser.open(self.link())
        with self.old_server():
            page = browser.open(urllib.parse.urljoin(self.issuer, page.links["Forgot your password?"]))
            browser.submit(page, email=email(4))
            reset = browser.open(self.server.mailed_link("/u/reset-password"))
        browser.submit(reset, password="quite another password", password_again="quite another password")
        self.assertEqual(self.claims(self.enter(4, "quite another password"))["sub"], "auth0|old-4")
        self.assertIn("Wrong e-mail address or password.", self.enter(4).text)

    def test_secret_is_shown_nowhere(self):
        shown = run("countersign", "apply", "--help") + self.server.errors()
        self.assertNotIn(SECRET, shown)
        again = self.server.apply(self.configuration(), "again.json")
        self.assertNotIn(SECRET, again)


def email(number):
    return f"person{number}@old.example"


def password(number):
    return f"the old password of person {number}"


def is_open(port):
    with socket.socket() as visitor:
        return visitor.connect_ex(("127.0.0.1", port)) == 0
