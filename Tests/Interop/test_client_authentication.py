"""Client authentication without a secret: private_key_jwt with Authlib, certificates with curl and Python's ssl, at the real
listener."""

import http.client
import json
import ssl
import subprocess
import time
import urllib.parse

import requests
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc7523 import PrivateKeyJWT
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from joserfc.jwk import ECKey

from programs import AUDIENCE, DEADLINE, InteropTest, Server, free_port


def openssl(*arguments):
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, timeout=DEADLINE)


class Certificates:
    """Two client authorities, and certificates of both."""

    def __init__(self, folder):
        self.folder = folder
        for name in ("ca", "other-ca"):
            self._key_and(name, "-x509", "-days", "1", "-addext", "basicConstraints=critical,CA:TRUE")
        self.signed("machine", "ca")
        self.signed("intermediate", "ca", is_authority=True)
        self.signed("behind", "intermediate", subject="machine")
        with self.path("behind").open("a", encoding="utf-8") as chain:
            chain.write(self.text("intermediate"))
        self.signed("stranger", "other-ca", subject="machine")
        self._key_and("self-signed", "-x509", "-days", "1")
        self._key_and("another", "-x509", "-days", "1", subject="self-signed")

    def _key_and(self, name, *arguments, subject=None):
        openssl(
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
            f"/O=Example/CN={subject or name}", "-keyout", self.key(name), "-out", self.path(name), *arguments)

    def signed(self, name, authority, subject=None, is_authority=False):
        self._key_and(name, subject=subject)
        request = self.path(name).rename(self.folder / f"{name}.csr")
        openssl(
            "x509", "-req", "-in", request, "-CA", self.path(authority), "-CAkey", self.key(authority),
            "-CAcreateserial", "-days", "1", "-out", self.path(name),
            *(["-extfile", self.extensions()] if is_authority else []))

    def extensions(self):
        path = self.folder / "authority.cnf"
        path.write_text("basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign\n", encoding="utf-8")
        return path

    def path(self, name):
        return self.folder / f"{name}.pem"

    def key(self, name):
        return self.folder / f"{name}.key"

    def text(self, name):
        return self.path(name).read_text(encoding="utf-8")


class ClientAuthentication(InteropTest):
    @classmethod
    def started(cls):
        cls.mtls_port = free_port()
        return Server(
            before=lambda folder: setattr(cls, "certificates", Certificates(folder)),
            options=lambda folder: ["--mtls-port", cls.mtls_port, "--mtls-ca", folder / "ca.pem"])

    @classmethod
    def configuration(cls):
        cls.private_key = ec.generate_private_key(ec.SECP256R1())
        public = cls.private_key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo).decode()

        def client(name, method, credential, **more):
            return {
                "client_id": name, "name": name, "grant_types": ["client_credentials"],
                "client_grants": [{"audience": AUDIENCE}],
                "client_authentication_methods": {method: {"credentials": [credential]}}, **more}

        configuration = super().configuration()
        configuration["tenants"][0]["clients"] = [
            client("signing", "private_key_jwt", {"pem": public, "alg": "ES256", "kid": "one"}),
            client("machine", "tls_client_auth", {"subject_dn": "CN=machine,O=Example"},
                   tls_client_certificate_bound_access_tokens=True),
            client("self-signed", "self_signed_tls_client_auth", {"pem": cls.certificates.text("self-signed")}),
        ]
        return configuration

    def setUp(self):
        self.metadata = requests.get(f"{self.issuer}.well-known/openid-configuration", timeout=10).json()

    # private_key_jwt

    def session(self, key=None):
        pem = (key or self.private_key).private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        endpoint = self.metadata["token_endpoint"]
        session = OAuth2Session(
            "signing", ECKey.import_key(pem), token_endpoint=endpoint, token_endpoint_auth_method="private_key_jwt")
        # Authlib's default lifetime of an hour is longer than Auth0 accepts.
        session.register_client_auth_method(PrivateKeyJWT(
            endpoint, alg="ES256", headers={"kid": "one"}, claims={"exp": int(time.time()) + 120}))
        return session

    def test_authlib_signs_and_gets_a_token(self):
        tokens = self.session().fetch_token(grant_type="client_credentials", audience=AUDIENCE)
        self.assertEqual(tokens["token_type"], "Bearer")

    def test_authlib_with_another_key_is_refused(self):
        with self.assertRaisesRegex(Exception, "invalid_client"):
            self.session(ec.generate_private_key(ec.SECP256R1())).fetch_token(
                grant_type="client_credentials", audience=AUDIENCE)

    def test_an_assertion_serves_once(self):
        seen = []
        session = self.session()
        session.hooks["response"].append(lambda response, *_, **__: seen.append(response.request.body))
        session.fetch_token(grant_type="client_credentials", audience=AUDIENCE)
        again = requests.post(
            self.metadata["token_endpoint"], data=seen[0], timeout=10,
            headers={"Content-Type": "application/x-www-form-urlencoded"})
        self.assertEqual((again.status_code, again.json()["error"]), (401, "invalid_client"))

    # certificates

    def curl(self, name, client_id, endpoint="token_endpoint", **parameters):
        """The answer that curl printed, with its status."""
        arguments = [
            "curl", "--silent", "--show-error", "--max-time", str(DEADLINE),
            "--cacert", str(self.server.authority), "--write-out", "\n%{http_code}", self.metadata["mtls_endpoint_aliases"][endpoint]]
        if name:
            arguments += ["--cert", str(self.certificates.path(name)), "--key", str(self.certificates.key(name))]
        for key, value in {"client_id": client_id, **parameters}.items():
            arguments += ["--data-urlencode", f"{key}={value}"]
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=DEADLINE, check=True)
        body, status = done.stdout.rsplit("\n", 1)
        return int(status), json.loads(body)

    def own_token(self, name, client_id):
        return self.curl(name, client_id, grant_type="client_credentials", audience=AUDIENCE)

    def test_curl_with_a_certificate_of_the_authority(self):
        status, tokens = self.own_token("machine", "machine")
        self.assertEqual(status, 200, tokens)
        status, told = self.curl(
            "machine", "machine", "introspection_endpoint", token=tokens["access_token"])
        self.assertEqual((status, told["active"]), (200, True))
        self.assertIn("x5t#S256", told["cnf"])

    def test_curl_with_a_certificate_of_an_intermediate_authority(self):
        status, tokens = self.own_token("behind", "machine")
        self.assertEqual(status, 200, tokens)

    def test_curl_with_a_self_signed_certificate(self):
        status, tokens = self.own_token("self-signed", "self-signed")
        self.assertEqual(status, 200, tokens)

    def test_certificates_that_prove_nothing(self):
        for name, client_id in [
            (None, "machine"), (None, "self-signed"), ("stranger", "machine"), ("self-signed", "machine"),
            ("another", "self-signed"), ("machine", "self-signed"), ("machine", "signing"),
        ]:
            with self.subTest(name=name, client_id=client_id):
                status, answer = self.own_token(name, client_id)
                self.assertEqual((status, answer["error"]), (401, "invalid_client"))

    def test_the_first_port_asks_for_no_certificate(self):
        done = requests.post(
            self.metadata["token_endpoint"], timeout=10,
            cert=(str(self.certificates.path("machine")), str(self.certificates.key("machine"))),
            data={"grant_type": "client_credentials", "client_id": "machine", "audience": AUDIENCE})
        self.assertEqual((done.status_code, done.json()["error"]), (401, "invalid_client"))

    def test_a_proxy_that_is_not_listed_is_not_believed(self):
        text = self.certificates.text("self-signed").splitlines()
        done = requests.post(
            self.metadata["token_endpoint"], timeout=10, headers={"Client-Cert": ":" + "".join(text[1:-1]) + ":"},
            data={"grant_type": "client_credentials", "client_id": "self-signed", "audience": AUDIENCE})
        self.assertEqual((done.status_code, done.json()["error"]), (401, "invalid_client"))

    def test_python_speaks_tls_of_both_versions(self):
        alias = urllib.parse.urlsplit(self.metadata["mtls_endpoint_aliases"]["token_endpoint"])
        form = urllib.parse.urlencode(
            {"grant_type": "client_credentials", "client_id": "machine", "audience": AUDIENCE})
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            with self.subTest(version=version):
                context = ssl.create_default_context(cafile=self.server.authority)
                context.minimum_version = context.maximum_version = version
                context.load_cert_chain(self.certificates.path("machine"), self.certificates.key("machine"))
                connection = http.client.HTTPSConnection(
                    alias.hostname, alias.port, context=context, timeout=DEADLINE)
                self.addCleanup(connection.close)
                # The second request is on the same connection.
                for _ in range(2):
                    connection.request(
                        "POST", alias.path, form, {"Content-Type": "application/x-www-form-urlencoded"})
                    answer = connection.getresponse()
                    self.assertEqual(answer.status, 200, answer.read())
                    answer.read()
