"""An authenticator made of python-fido2 and `cryptography`, beside a phone that nobody here wrote either."""

import base64
import hashlib
import json
import time
import urllib.parse
import uuid

import jwt
import requests
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from fido2.cose import ES256, RS256
from fido2.webauthn import (
    Aaguid, AttestationObject, AttestedCredentialData, AuthenticatorData, CollectedClientData)

from programs import CIBA, DEADLINE, InteropTest

FLAG = AuthenticatorData.FLAG
VERIFIED = FLAG.UP | FLAG.UV


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Authenticator:
    """Makes what a browser hands over, with python-fido2's writers of CBOR, COSE and client data."""

    def __init__(self, host, origin, algorithm=ES256):
        self.origin, self.rp_hash, self.count = origin, hashlib.sha256(host.encode()).digest(), 0
        self.algorithm, self.credential_id = algorithm, uuid.uuid4().bytes + b"interop"
        self.key = (
            ec.generate_private_key(ec.SECP256R1()) if algorithm is ES256 else rsa.generate_private_key(65537, 2048))

    def sign(self, data):
        if self.algorithm is ES256:
            return self.key.sign(data, ec.ECDSA(hashes.SHA256()))
        return self.key.sign(data, padding.PKCS1v15(), hashes.SHA256())

    def create(self, challenge, self_attested=False):
        client = CollectedClientData.create(CollectedClientData.TYPE.CREATE, challenge, self.origin)
        public = self.algorithm.from_cryptography_key(self.key.public_key())
        credential = AttestedCredentialData.create(Aaguid.NONE, self.credential_id, public)
        data = AuthenticatorData.create(self.rp_hash, VERIFIED | FLAG.AT, self.count, credential)
        statement = {"alg": public[3], "sig": self.sign(bytes(data) + client.hash)} if self_attested else {}
        attestation = AttestationObject.create("packed" if self_attested else "none", data, statement)
        return {"client_data_json": encoded(bytes(client)), "attestation_object": encoded(bytes(attestation))}

    def get(self, challenge, flags=VERIFIED, origin=None):
        self.count += 1
        client = CollectedClientData.create(CollectedClientData.TYPE.GET, challenge, origin or self.origin)
        data = bytes(AuthenticatorData.create(self.rp_hash, flags, self.count))
        return {
            "credential_id": encoded(self.credential_id), "client_data_json": encoded(bytes(client)),
            "authenticator_data": encoded(data), "signature": encoded(self.sign(data + client.hash))}


class Phone:
    """A phone of Guardian's protocol on requests and PyJWT, which signs digests."""

    def __init__(self, uri):
        fields = {name: values[0] for name, values in urllib.parse.parse_qs(urllib.parse.urlparse(uri).query).items()}
        self.base = fields["base_url"]
        self.identifier = uuid.uuid4().hex
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.jwk = json.loads(jwt.algorithms.ECAlgorithm.to_jwk(self.key.public_key()))
        answer = requests.post(
            f"{self.base}/api/enroll", timeout=DEADLINE,
            headers={"Authorization": f'Ticket id="{fields["enrollment_tx_id"]}"'},
            json={
                "identifier": self.identifier, "name": "Python", "public_key": self.jwk,
                "capabilities": ["signed-digest"]})
        answer.raise_for_status()
        self.enrolled = answer.json()

    def signed(self, claims, lifetime, **headers):
        now = int(time.time())
        return jwt.encode(
            {"iat": now, "exp": now + lifetime, **claims}, self.key, "ES256", headers={"typ": "JWT", **headers})

    def token(self, path):
        return {"Authorization": "Bearer " + self.signed(
            {"iss": self.enrolled["id"], "sub": self.enrolled["user_id"], "aud": f"{self.base}/api/{path}"}, 3600)}

    @property
    def passkey(self):
        return f"{self.base}/api/device-accounts/{self.enrolled['id']}/passkey"

    def notification(self):
        with requests.get(
                f"{self.base}/api/notifications", headers=self.token("notifications"), stream=True,
                timeout=DEADLINE) as events:
            end = time.monotonic() + DEADLINE
            for line in events.iter_lines(decode_unicode=True):
                if line.startswith("data:") and "mfa" in (data := json.loads(line[5:])):
                    return data["mfa"]
                if time.monotonic() > end:
                    break
        raise AssertionError("no notification came")

    def digest(self, notification):
        url = f"{self.base.removesuffix('/appliance-mfa')}/rich-consents/{notification['txlnkid']}"
        proof = self.signed(
            {
                "htu": url, "htm": "GET", "jti": uuid.uuid4().hex,
                "ath": encoded(hashlib.sha256(notification["txtkn"].encode()).digest())}, 60, typ="dpop+jwt",
            jwk=self.jwk)
        answer = requests.get(
            url, headers={"Authorization": f"MFA-DPoP {notification['txtkn']}", "MFA-DPoP": proof}, timeout=DEADLINE)
        answer.raise_for_status()
        return hashlib.sha256(answer.json()["record"].encode()).digest()

    def allow(self, notification, digest, passkey=None):
        body = {"challenge_response": self.signed({
            "iss": self.identifier, "sub": notification["c"], "aud": f"{self.base}/api/resolve-transaction",
            "auth0_guardian_method": "push", "auth0_guardian_accepted": True, "request_digest": encoded(digest)}, 30)}
        return requests.post(
            f"{self.base}/api/resolve-transaction", json={**body, **({"passkey": passkey} if passkey else {})},
            headers={"Authorization": f"Bearer {notification['txtkn']}"}, timeout=DEADLINE)


class Passkeys(InteropTest):
    @classmethod
    def configuration(cls):
        document = super().configuration()
        tenant = document["tenants"][0]
        tenant["settings"]["evidence"] = "passkey"
        tenant["users"] += [{"user_id": f"auth0|{name}", "name": name} for name in ("es256", "rs256", "self")]
        return document

    def refused(self, answer, code):
        self.assertEqual((answer.status_code, answer.json()["errorCode"]), (403, code), answer.text)

    def approved_by(self, user, algorithm, self_attested=False):
        phone = Phone(self.server.ticket(user, "interop"))
        options = requests.get(phone.passkey, headers=phone.token("device-accounts"), timeout=DEADLINE).json()
        self.assertEqual(
            (options["rp_id"], options["credential_ids"], options["may_register"]), ("127.0.0.1", [], True))
        authenticator = Authenticator(options["rp_id"], self.issuer.removesuffix("/"), algorithm)
        registration = authenticator.create(decoded(options["challenge"]), self_attested)
        answers = [
            requests.put(phone.passkey, json=registration, headers=phone.token("device-accounts"), timeout=DEADLINE)
            for _ in range(2)]
        self.assertEqual([answer.status_code for answer in answers], [204, 409], answers[0].text)
        started = requests.post(f"{self.issuer}bc-authorize", timeout=DEADLINE, data={
            "client_id": self.client_id, "client_secret": self.client_secret, "scope": "openid",
            "login_hint": self.hint(user), "binding_message": "Order 4711"})
        self.assertEqual(started.status_code, 200, started.text)
        notification = phone.notification()
        digest = phone.digest(notification)
        self.refused(phone.allow(notification, digest), "passkey_required")
        self.refused(phone.allow(notification, digest, authenticator.get(digest, FLAG.UP)), "invalid_passkey")
        self.refused(phone.allow(notification, digest, authenticator.get(digest[::-1])), "invalid_passkey")
        elsewhere = authenticator.get(digest, origin="https://evil.example")
        self.refused(phone.allow(notification, digest, elsewhere), "invalid_passkey")
        allowed = phone.allow(notification, digest, authenticator.get(digest))
        self.assertEqual(allowed.status_code, 204, allowed.text)
        tokens = requests.post(f"{self.issuer}oauth/token", timeout=DEADLINE, data={
            "client_id": self.client_id, "client_secret": self.client_secret, "grant_type": CIBA,
            "auth_req_id": started.json()["auth_req_id"]})
        self.assertEqual(tokens.status_code, 200, tokens.text)

    def test_an_es256_passkey_without_attestation_allows(self):
        self.approved_by("auth0|es256", ES256)

    def test_an_rs256_passkey_allows(self):
        self.approved_by("auth0|rs256", RS256)

    def test_a_self_attested_passkey_allows(self):
        self.approved_by("auth0|self", ES256, self_attested=True)
