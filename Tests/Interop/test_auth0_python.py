"""auth0-python requests, `guardian` answers, and PyJWT verifies the tokens."""

import base64
import hashlib
import json
import time

import jwt
import requests
from auth0.authentication.back_channel_login import BackChannelLogin
from auth0.authentication.exceptions import Auth0Error, RateLimitError
from auth0.authentication.get_token import GetToken
from auth0.authentication.token_verifier import AsymmetricSignatureVerifier, TokenVerifier

from programs import AUDIENCE, CIBA, PAYMENT, InteropTest, eventually, run

MESSAGE = "Confirm payment of 2500"


class Auth0Python(InteropTest):
    USERS = ("auth0|hanna", "auth0|tyrion", "auth0|keys")

    def setUp(self):
        self.login = BackChannelLogin(self.domain, self.client_id, client_secret=self.client_secret)
        self.tokens = GetToken(self.domain, self.client_id, client_secret=self.client_secret)

    def start(self, user="auth0|hanna", message=MESSAGE, scope="openid read:profile", **more):
        return self.login.back_channel_login(
            binding_message=message, login_hint=self.hint(user), scope=scope, **{"audience": AUDIENCE, **more})

    def poll(self, started):
        return self.tokens.backchannel_login(auth_req_id=started["auth_req_id"], grant_type=CIBA)

    def refused(self, code, call, *arguments, **more):
        """Expects a call to fail with this code, and returns the error."""
        with self.assertRaises(Auth0Error) as raised:
            call(*arguments, **more)
        self.assertEqual(raised.exception.error_code, code)
        return raised.exception

    def decoded(self, token, audience):
        """Claims of a token, verified with the published keys."""
        metadata = requests.get(f"{self.issuer}.well-known/openid-configuration", timeout=10).json()
        key = jwt.PyJWKClient(metadata["jwks_uri"]).get_signing_key_from_jwt(token)
        return jwt.decode(
            token, key, algorithms=["RS256"], issuer=metadata["issuer"], audience=audience,
            options={"require": ["iss", "sub", "aud", "iat", "exp"]})

    # Getting tokens

    def test_a_request_with_details_is_shown_allowed_and_redeemed_once(self):
        started = self.start(authorization_details=[PAYMENT])
        self.assertEqual((started["expires_in"], started["interval"]), (300, 1))
        self.assertRegex(started["auth_req_id"], r"\A[A-Za-z0-9_-]{64}\Z")
        pending = self.refused("authorization_pending", self.poll, started)
        self.assertEqual((pending.status_code, pending.message), (400, "The end-user authorization is pending"))

        shown = self.phones["auth0|hanna"].answer("allow")
        self.assertEqual(shown["binding_message"], MESSAGE)
        self.assertEqual(shown["authorization_details"], [PAYMENT])
        self.assertEqual(shown["audience"], AUDIENCE)
        self.assertEqual(sorted(shown["scope"]), ["openid", "read:profile"])
        self.assertEqual(
            shown["client"],
            {"client_id": self.client_id, "name": "Interoperability agent", "is_first_party": True})

        answer = self.poll(started)
        self.assertEqual((answer["token_type"], answer["expires_in"]), ("Bearer", 86400))
        self.assertEqual(sorted(answer["scope"].split()), ["openid", "read:profile"])
        self.assertEqual(answer["authorization_details"], [PAYMENT])
        self.assertNotIn("refresh_token", answer)
        self.check_tokens(answer, "auth0|hanna")

        again = self.refused("invalid_grant", self.poll, started)
        self.assertEqual(again.status_code, 400)

    def check_tokens(self, answer, user):
        access = self.decoded(answer["access_token"], AUDIENCE)
        self.assertEqual((access["sub"], access["azp"]), (user, self.client_id))
        self.assertEqual(access["authorization_details"], [PAYMENT])
        self.assertEqual(access["exp"] - access["iat"], 86400)
        identity = self.decoded(answer["id_token"], self.client_id)
        self.assertEqual(identity["sub"], user)
        self.assertLessEqual(abs(identity["auth_time"] - time.time()), 60)
        digest = hashlib.sha256(answer["access_token"].encode()).digest()[:16]
        self.assertEqual(identity["at_hash"], base64.urlsafe_b64encode(digest).rstrip(b"=").decode())
        # And by the SDK's own verifier of ID tokens.
        TokenVerifier(
            AsymmetricSignatureVerifier(f"{self.issuer}.well-known/jwks.json"), self.issuer, self.client_id
        ).verify(answer["id_token"])

    def test_details_as_text_and_a_short_expiry_are_taken_as_the_sdk_sends_them(self):
        started = self.start(authorization_details=json.dumps([PAYMENT]), requested_expiry=120)
        self.assertEqual(started["expires_in"], 120)
        self.assertEqual(self.phones["auth0|hanna"].answer("allow")["authorization_details"], [PAYMENT])
        self.assertEqual(self.poll(started)["authorization_details"], [PAYMENT])

    def test_scopes_are_those_of_the_users_roles(self):
        started = self.start(scope="openid read:profile write:profile")
        self.assertEqual(sorted(self.phones["auth0|hanna"].answer("allow")["scope"]), ["openid", "read:profile"])
        self.assertEqual(sorted(self.poll(started)["scope"].split()), ["openid", "read:profile"])

    def test_offline_access_adds_a_refresh_token(self):
        started = self.start(scope="openid offline_access")
        self.phones["auth0|hanna"].answer("allow")
        self.assertGreater(len(self.poll(started)["refresh_token"]), 40)

    def test_tokens_verify_before_and_after_the_keys_were_rotated(self):
        answers = []
        for _ in range(2):
            started = self.start("auth0|keys", authorization_details=[PAYMENT])
            self.phones["auth0|keys"].answer("allow")
            answers.append(self.poll(started))
            run("countersign", "keys", "rotate", "--data", self.server.data, "--tenant", "interop")
        for answer in answers:
            self.check_tokens(answer, "auth0|keys")

    # Other outcomes

    def test_a_rejection_is_told_as_often_as_it_is_asked_for(self):
        started = self.start("auth0|tyrion")
        self.phones["auth0|tyrion"].answer("reject", "--reason", "not mine")
        for _ in range(2):
            denied = self.refused("access_denied", self.poll, started)
            self.assertEqual(
                (denied.status_code, denied.message),
                (400, "The end-user denied the authorization request or it has been expired"))

    def test_what_nobody_answers_expires(self):
        started = self.start("auth0|tyrion", requested_expiry=1)
        # The server holds this poll until the request ends (CIBA Core 11, RFC 7240 wait).
        held = requests.post(
            f"{self.issuer}oauth/token", headers={"Prefer": "wait=20"}, timeout=30, data={
                "grant_type": CIBA, "auth_req_id": started["auth_req_id"], "client_id": self.client_id,
                "client_secret": self.client_secret})
        self.assertEqual((held.status_code, held.json()["error"]), (400, "expired_token"))
        self.assertEqual(self.refused("expired_token", self.poll, started).status_code, 400)

    def test_polling_too_fast_is_told_off_and_then_forgiven(self):
        hint = json.dumps({
            "format": "iss_sub", "iss": self.server.development["issuer"], "sub": self.server.development["user_id"]})
        known = self.server.development
        domain = known["issuer"].removeprefix("https://").rstrip("/")
        secret = "a-limited-secret-of-forty-eight-characters-or-so"
        login = BackChannelLogin(domain, "limited", client_secret=secret)
        self.server.apply(
            {"tenants": [{
                "id": known["tenant"], "name": "Countersign Development", "host": domain,
                "settings": {"requests_per_minute_per_user": 5}, "users": [{"user_id": "auth0|limited"}],
                "clients": [{
                    "client_id": "limited", "name": "Limited", "client_secret": secret, "grant_types": [CIBA]}],
                }]}, "limited.json")
        hint = self.hint("auth0|limited", known["issuer"])
        self.server.phone("auth0|limited", known["tenant"], "limited-phone")

        def started():
            try:
                return login.back_channel_login("number 0", hint, "openid")
            except Auth0Error as error:
                # The server has not applied the file yet.
                self.assertEqual(error.error_code, "invalid_client")
                return None

        eventually(started)
        for number in range(1, 5):
            login.back_channel_login(f"number {number}", hint, "openid")
        with self.assertRaises(RateLimitError) as raised:
            login.back_channel_login("number 5", hint, "openid")
        self.assertEqual((raised.exception.status_code, raised.exception.error_code), (429, "too_many_requests"))
        self.assertGreater(raised.exception.reset_at, time.time() - 1)

    def test_a_poll_may_be_json(self):
        started = self.start()
        answer = requests.post(f"{self.issuer}oauth/token", timeout=30, json={
            "grant_type": CIBA, "auth_req_id": started["auth_req_id"], "client_id": self.client_id,
            "client_secret": self.client_secret, "organization": None})
        self.assertEqual((answer.status_code, answer.json()["error"]), (400, "authorization_pending"))
        self.phones["auth0|hanna"].answer("reject")
