"""A PostgreSQL server over TLS, and one whose schema a newer version has changed."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest
from unittest import mock

from database import USER, Database, flow, serves, tenant
from programs import DEADLINE, PROGRAMS, Phone, Server, eventually


def made_certificate(folder, name, subject):
    """A certificate for a host name alone, which is its own authority, and its key."""
    certificate, key = folder / f"{name}.pem", folder / f"{name}.key"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
         key, "-out", certificate, "-days", "2", "-subj", f"/CN={name}", "-addext", f"subjectAltName={subject}"],
        capture_output=True, timeout=DEADLINE, check=True)
    return certificate, key


class Encrypted(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="countersign-tls-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.certificate, key = made_certificate(cls.folder, "server", "DNS:localhost")
        cls.other, _ = made_certificate(cls.folder, "other", "DNS:localhost")
        cls.database = Database(cls.certificate, key)
        cls.addClassCleanup(cls.database.stop)

    def made(self, host, options):
        """The result of making the tables there."""
        uri = f"postgres://countersign@{host}:{self.database.port}/postgres?{options}"
        document = self.folder / "nothing.json"
        document.write_text('{"tenants": []}', encoding="utf-8")
        return subprocess.run(
            [PROGRAMS / "countersign", "apply", document, "--data", self.folder / "data", "--create", "--store", uri],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=DEADLINE * 2, check=False)

    def test_verified(self):
        done = self.made("localhost", f"sslmode=verify-full&sslrootcert={self.certificate}")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_another_name(self):
        done = self.made("127.0.0.1", f"sslmode=verify-full&sslrootcert={self.certificate}")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("127.0.0.1", done.stderr)
        self.assertIn("does not match", done.stderr)

    def test_another_authority(self):
        done = self.made("localhost", f"sslmode=verify-full&sslrootcert={self.other}")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("certificate verify failed", done.stderr)


class NewerSchema(unittest.TestCase):
    """The moment of an upgrade in which one node has the new version already, and another has not."""

    def test_upgrade(self):
        database = Database()
        self.addCleanup(database.stop)
        with mock.patch.dict(os.environ, {"COUNTERSIGN_STORE": database.uri}):
            server = Server()
            self.addCleanup(server.stop)
            domain = f"127.0.0.1:{server.port}"
            server.apply(tenant("old", domain), "old.json")
            eventually(lambda: serves(f"https://{domain}/"))
            phone = Phone(server.authority, server.ticket(USER, "old"), server.folder / "phone.json")
            # As the next version's migration does: members that the old one does not know, and the step's name.
            for table in database.run(
                    "SELECT quote_ident(relname) FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace "
                    "WHERE relkind IN ('r', 'p') AND NOT relispartition AND nspname = 'public'").split():
                if table != "schema_migrations":
                    database.run(f"ALTER TABLE {table} ADD COLUMN of_the_next_version bigint")
            database.run("INSERT INTO schema_migrations SELECT max(position) + 1, 'next version' FROM schema_migrations")
            with phone.watching("allow"):
                for _ in range(2):
                    self.assertEqual(flow(f"https://{domain}/"), 200)
            refused = subprocess.run(
                [PROGRAMS / "countersign", "serve", "--data", server.folder / "second", "--port", "0"],
                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=DEADLINE, check=False)
            self.assertEqual(refused.returncode, 1)
            self.assertIn("newer version", refused.stderr)
