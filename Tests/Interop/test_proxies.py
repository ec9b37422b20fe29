"""nginx and HAProxy with the configurations of docs/nodes.md in front of two nodes of one PostgreSQL."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

from database import USER, Database, flow, serves, tenant
from programs import DEADLINE, Phone, Server, eventually, free_port

GUIDE = pathlib.Path(__file__).parents[2] / "docs" / "nodes.md"
NODES = ("10.0.0.11:8443", "10.0.0.12:8443")


def documented(language):
    """The guide's only configuration in that language."""
    found = re.findall(rf"^```{language}\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert len(found) == 1, f"{GUIDE} has {len(found)} blocks of {language}"
    return found[0]


class Nodes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="countersign-proxies-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.authority = cls.folder / "certificate.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-keyout", cls.folder / "key.pem", "-out", cls.authority, "-days", "2", "-subj", "/CN=proxy",
             "-addext", "subjectAltName=IP:127.0.0.1,DNS:node.internal"],
            capture_output=True, timeout=DEADLINE, check=True)
        both = (cls.folder / "key.pem").read_text("ascii") + cls.authority.read_text("ascii")
        (cls.folder / "both.pem").write_text(both, "ascii")
        database = Database()
        cls.addClassCleanup(database.stop)
        environment = mock.patch.dict(os.environ, {"COUNTERSIGN_STORE": database.uri})
        environment.start()
        cls.addClassCleanup(environment.stop)
        cls.first = Server(options=cls.options)
        cls.addClassCleanup(cls.first.stop)

    @classmethod
    def options(cls, _folder):
        return ["--tls", "files", "--tls-certificate", cls.authority, "--tls-key", cls.folder / "key.pem",
                "--client-address-proxies", "127.0.0.1", "--log-requests", "on", "--outgoing-networks",
                "127.0.0.0/8"]

    def setUp(self):
        def joining(folder):
            (folder / "countersign-data").mkdir(mode=0o700)
            shutil.copy(self.first.data / "master.key", folder / "countersign-data" / "master.key")

        self.second = Server(joining, self.options)
        self.addCleanup(self.second.stop)
        for variable in ("REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "CURL_CA_BUNDLE"):
            os.environ[variable] = str(self.authority)

    def configured(self, language, replaced):
        """The guide's configuration with addresses and files of this test."""
        text = documented(language)
        for number, node in enumerate((self.first, self.second)):
            replaced = {**replaced, NODES[number]: f"127.0.0.1:{node.port}"}
        for old, new in replaced.items():
            self.assertIn(old, text)
            text = text.replace(old, str(new))
        return text

    def nginx(self):
        port = free_port()
        text = self.configured("nginx", {
            "listen 443 ssl": f"listen 127.0.0.1:{port} ssl", "/etc/nginx/id.example.com.pem": self.authority,
            "/etc/nginx/id.example.com.key": self.folder / "key.pem",
            "/etc/nginx/nodes-ca.pem": self.authority})
        file = self.folder / "nginx.conf"
        folders = "".join(f"{name}_temp_path {self.folder}/{name};\n"
                          for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        file.write_text(
            f"daemon off;\npid {self.folder}/nginx.pid;\nerror_log stderr crit;\nevents {{}}\n"
            f"http {{\naccess_log off;\n{folders}{text}}}\n", "utf-8")
        return port, ["nginx", "-p", self.folder, "-c", file, "-e", "stderr"]

    def haproxy(self):
        port = free_port()
        text = self.configured("haproxy", {
            "bind :443 ssl crt /etc/haproxy/id.example.com-with-key.pem":
                f"bind 127.0.0.1:{port} ssl crt {self.folder}/both.pem",
            "/etc/haproxy/nodes-ca.pem": self.authority})
        file = self.folder / "haproxy.cfg"
        file.write_text(text, "utf-8")
        return port, ["haproxy", "-db", "-f", file]

    def test_nginx(self):
        self.check("nginx", *self.nginx())

    def test_haproxy(self):
        self.check("haproxy", *self.haproxy())

    def check(self, name, port, command):
        path = os.environ.get("PATH", "") + ":/usr/sbin"
        proxy = subprocess.Popen(
            [shutil.which(command[0], path=path), *command[1:]], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True)

        def stop():
            proxy.terminate()
            print(proxy.communicate(timeout=DEADLINE)[1], end="")

        self.addCleanup(stop)
        issuer = f"https://127.0.0.1:{port}/"
        self.first.apply(tenant(name, f"127.0.0.1:{port}"), f"{name}.json")
        # Each node within a second.
        eventually(lambda: all(serves(issuer) for _ in range(4)))
        phone = Phone(self.authority, self.first.ticket(USER, name), self.folder / f"{name}-phone.json")
        before = self.starts()
        with phone.watching("allow"), ThreadPoolExecutor(8) as pool:
            self.assertEqual(list(pool.map(lambda _: flow(issuer), range(16))), [200] * 16)
            new = [after - earlier for after, earlier in zip(self.starts(), before)]
            self.assertEqual(sum(new), 16)
            self.assertGreater(min(new), 0, "one node got all requests")
            self.second.process.kill()
            self.second.process.wait(DEADLINE)
            # The phone's stream comes back at the other node.
            self.assertEqual(list(pool.map(lambda _: flow(issuer), range(8))), [200] * 8)

    def starts(self):
        """Starts that each node has logged."""
        return [node.errors().count("/bc-authorize") for node in (self.first, self.second)]
