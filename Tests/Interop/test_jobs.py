"""auth0-python's unmodified management client imports users with their passwords' hashes, who then log in, and exports them."""

import base64
import crypt
import hashlib
import json
import sqlite3
import warnings

import pyotp
import requests
from auth0.management import ManagementClient
from auth0.management.core.api_error import ApiError

from login import LoginTest
from pages import Browser, Callback
from programs import eventually

OLD = "the password of the old server"
SALT = b"NaCl"


def b64(value):
    return base64.b64encode(value).decode()


def custom(algorithm, value, **more):
    return {"custom_password_hash": {"algorithm": algorithm, **more, "hash": value}}


def hashes():
    """Members of users of the same password, by the kind of its hash."""
    password = OLD.encode()
    phc = hashlib.pbkdf2_hmac("sha512", password, SALT, 1000, 64)
    return {
        "bcrypt": {"password_hash": crypt.crypt(OLD, "$2b$05$ABCDEFGHIJKLMNOPQRSTUO")},
        "pbkdf2": custom("pbkdf2", {
            "value": f"$pbkdf2-sha512$i=1000,l=64${b64(SALT).rstrip('=')}${b64(phc).rstrip('=')}", "encoding": "utf8"}),
        "scrypt": custom(
            "scrypt", {"value": hashlib.scrypt(password, salt=SALT, n=1024, r=8, p=1, dklen=32).hex(), "encoding": "hex"},
            salt={"value": SALT.hex(), "encoding": "hex"}, keylen=32, cost=1024),
        "sha1": custom(
            "sha1", {"value": hashlib.sha1(SALT + password).hexdigest(), "encoding": "hex"},
            salt={"value": SALT.decode(), "position": "prefix"}),
        "ldap": custom("ldap", {"value": "{SSHA512}" + b64(hashlib.sha512(password + SALT).digest() + SALT)}),
    }


class Jobs(LoginTest):
    @classmethod
    def configuration(cls):
        document = super().configuration()
        document["tenants"][0]["settings"]["multi_factor"] = "when-enrolled"
        document["tenants"][0]["clients"].append({
            "client_id": "operator", "name": "Operator's program", "client_secret": cls.client_secret,
            "grant_types": ["client_credentials"], "client_grants": [{"audience": f"{cls.issuer}api/v2/"}],
        })
        return document

    def setUp(self):
        self.api = ManagementClient(domain=self.domain, client_id="operator", client_secret=self.client_secret)
        self.connection = next(iter(self.api.connections.list())).id

    def imported(self, users, **more):
        made = self.api.jobs.users_imports.create(
            users=("users.json", json.dumps(users).encode(), "application/json"), connection_id=self.connection, **more)
        self.assertEqual((made.status, made.type, made.connection_id), ("pending", "users_import", self.connection))
        return eventually(lambda: self.ended(made.id))

    def ended(self, job):
        found = self.api.jobs.get(job)
        return found if found.status in ("completed", "failed") else None

    def stored(self, user):
        with sqlite3.connect(f"file:{self.server.data / 'countersign.db'}?mode=ro", uri=True) as database:
            return database.execute('SELECT password_hash FROM "user" WHERE id = ?', (user,)).fetchone()[0]

    def test_users_log_in_with_the_passwords_of_another_server_and_get_hashes_of_this_one(self):
        warnings.simplefilter("ignore")
        users = [
            {"email": f"{kind}@old.example", "email_verified": True, "user_id": f"old-{kind}", **members}
            for kind, members in hashes().items()]
        job = self.imported(users, external_id="move", send_completion_email=False)
        self.assertEqual((job.summary.total, job.summary.inserted, job.summary.failed), (len(users), len(users), 0))
        for kind in hashes():
            user = f"auth0|old-{kind}"
            self.assertTrue(self.stored(user).startswith("$foreign$"), kind)
            wrong = self.logged_in(Browser(self.issuer), self.login_url(), f"{kind}@old.example", OLD + "!")
            self.assertNotIsInstance(wrong, Callback, kind)
            for _ in range(2):
                answer = self.logged_in(Browser(self.issuer), self.login_url(), f"{kind}@old.example", OLD)
                self.assertIsInstance(answer, Callback, kind)
                self.assertTrue(self.stored(user).startswith("$argon2id$"), kind)

    def test_authenticator_apps_of_another_server_go_on(self):
        secrets = {"imported": pyotp.random_base32(), "added": pyotp.random_base32()}
        people = [{
            "email": f"{name}@apps.example", "email_verified": True, "user_id": f"app-{name}", **hashes()["bcrypt"],
            **({"mfa_factors": [{"totp": {"secret": secrets[name]}}]} if name == "imported" else {})} for name in secrets]
        self.assertEqual(self.imported(people).summary.inserted, 2)
        added = self.api.users.authentication_methods.create(
            "auth0|app-added", type="totp", totp_secret=secrets["added"], name="Work")
        self.assertTrue(added.id.startswith("totp|"))
        for name, secret in secrets.items():
            browser = Browser(self.issuer)
            page = self.logged_in(browser, self.login_url(), f"{name}@apps.example", OLD)
            self.assertNotIsInstance(page, Callback, "the password alone is not enough")
            code = pyotp.TOTP(secret).now()
            self.assertNotIsInstance(browser.submit(page, code=str((int(code) + 1) % 1_000_000).zfill(6)), Callback)
            self.assertIsInstance(browser.submit(page, code=code), Callback, name)
            other = Browser(self.issuer)
            again = self.logged_in(other, self.login_url(), f"{name}@apps.example", OLD)
            self.assertNotIsInstance(other.submit(again, code=code), Callback, "a code is used once")
        self.api.users.authentication_methods.delete("auth0|app-added", added.id)
        page = self.logged_in(Browser(self.issuer), self.login_url(), "added@apps.example", OLD)
        self.assertIsInstance(page, Callback)

    def login_url(self):
        return (f"{self.issuer}authorize?response_type=code&client_id=website&scope=openid&state=x"
                "&redirect_uri=http%3A%2F%2F127.0.0.1%3A4711%2Fcallback")

    def test_users_who_are_not_taken_are_in_the_jobs_errors(self):
        job = self.imported([{"email": "no address"}, {"email": "taken@old.example"}, {"email": "taken@old.example"}])
        self.assertEqual((job.status, job.summary.inserted, job.summary.failed), ("completed", 1, 2))
        errors = self.api.jobs.errors.get(job.id)
        self.assertEqual([error.errors[0].code for error in errors], ["INVALID_FORMAT", "DUPLICATED_USER"])
        self.assertEqual(errors[0].errors[0].path, "email")
        changed = self.imported([{"email": "taken@old.example", "given_name": "Tess"}], upsert=True)
        self.assertEqual(changed.summary.updated, 1)
        self.assertEqual(self.api.users.list_users_by_email(email="taken@old.example")[0].given_name, "Tess")
        with self.assertRaises(ApiError) as raised:
            self.api.jobs.users_imports.create(users=("users.json", b"{", "application/json"), connection_id="con_none")
        self.assertEqual(raised.exception.status_code, 400)

    def test_users_are_exported_to_a_file_behind_a_link(self):
        made = self.api.jobs.users_exports.create(
            connection_id=self.connection, format="csv", fields=[{"name": "user_id"}, {"name": "email", "export_as": "mail"}])
        self.assertEqual((made.status, made.type), ("pending", "users_export"))
        job = eventually(lambda: self.ended(made.id))
        answer = requests.get(job.location, timeout=10)
        self.assertEqual(answer.status_code, 200)
        lines = answer.text.splitlines()
        self.assertEqual(lines[0], "user_id,mail")
        self.assertIn("auth0|hanna,hanna@example.com", lines)
