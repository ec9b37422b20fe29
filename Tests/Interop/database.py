"""A PostgreSQL server for tests, on a socket in a folder of its own, and flows over the nodes of its database."""

import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import tempfile

import requests

from programs import CIBA, DEADLINE, eventually, free_port

USER, CLIENT, SECRET = "auth0|hanna", "agent", "an-agent-secret-of-forty-eight-characters-or-so"


def tenant(name, domain):
    """The document of a tenant with one user and one client."""
    return {"tenants": [{
        "id": name, "name": name, "host": domain,
        "settings": {"requests_per_minute_per_user": 1000, "poll_interval": 1},
        "users": [{"user_id": USER, "name": "Hanna"}],
        "clients": [{"client_id": CLIENT, "name": "Agent", "client_secret": SECRET, "grant_types": [CIBA]}],
    }]}


def flow(issuer):
    """Status of the answer with tokens to a client that is held."""
    credentials = {"client_id": CLIENT, "client_secret": SECRET}
    started = requests.post(f"{issuer}bc-authorize", timeout=DEADLINE, data={
        **credentials, "scope": "openid", "binding_message": "At any node",
        "login_hint": f'{{"format": "iss_sub", "iss": "{issuer}", "sub": "{USER}"}}'})
    assert started.status_code == 200, started.text
    return requests.post(f"{issuer}oauth/token", timeout=DEADLINE * 2, headers={"Prefer": "wait=25"}, data={
        **credentials, "grant_type": CIBA, "auth_req_id": started.json()["auth_req_id"]}).status_code


def serves(issuer):
    try:
        return requests.get(f"{issuer}.well-known/openid-configuration", timeout=DEADLINE).status_code == 200
    except requests.RequestException:
        return False


class Database:
    """A new server with one empty database. It makes nothing durable. With a certificate and its key it has TLS, at
    `port` of this machine."""

    def __init__(self, certificate=None, key=None):
        programs = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
        self._programs = programs[-1]
        self._folder = pathlib.Path(tempfile.mkdtemp(prefix="countersign-pg-"))
        # The server refuses to run as root.
        self._account = {}
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            os.chown(self._folder, owner.pw_uid, owner.pw_gid)
            self._account = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
        self._run("initdb", f"--pgdata={self._folder}/data", "--auth=trust", "--username=countersign", "--no-sync",
                  "--encoding=UTF8", "--locale=C.UTF-8", "--no-instructions")
        network = ["-c", "listen_addresses="]
        if certificate:
            for name, file in (("server.crt", certificate), ("server.key", key)):
                shutil.copy(file, self._folder / name)
                os.chmod(self._folder / name, 0o600)
                if self._account:
                    os.chown(self._folder / name, self._account["user"], self._account["group"])
            self.port = free_port()
            network = ["-c", "listen_addresses=127.0.0.1", "-p", str(self.port), "-c", "ssl=on",
                       "-c", f"ssl_cert_file={self._folder}/server.crt", "-c", f"ssl_key_file={self._folder}/server.key"]
        self._server = subprocess.Popen(
            [self._programs / "postgres", "-D", self._folder / "data", *network, "-k", self._folder, "-c", "fsync=off"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **self._account)
        self._place = [f"--host={self._folder}"] + ([f"--port={self.port}"] if certificate else [])
        eventually(self._accepts)
        self.uri = f"postgres://countersign@/postgres?host={self._folder}"

    def _accepts(self):
        done = subprocess.run(
            [self._programs / "pg_isready", *self._place], stdout=subprocess.DEVNULL, timeout=DEADLINE,
            check=False)
        return done.returncode == 0

    def run(self, statement):
        """The printed rows of a statement."""
        done = subprocess.run(
            [self._programs / "psql", *self._place, "--username=countersign", "--no-psqlrc", "-At",
             f"--command={statement}", "postgres"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=DEADLINE, check=True)
        return done.stdout.strip()

    def _run(self, program, *arguments):
        subprocess.run(
            [self._programs / program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=DEADLINE * 2,
            check=True, cwd="/", **self._account)

    def stop(self):
        # Without waiting for the ends of connections.
        self._server.send_signal(signal.SIGINT)
        self._server.wait(DEADLINE)
        shutil.rmtree(self._folder, ignore_errors=True)
