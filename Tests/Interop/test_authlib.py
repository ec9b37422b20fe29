"""Authlib logs a user in with code and PKCE, refreshes, reads the profile and revokes."""

import secrets
import urllib.parse

import jwt
import requests
from authlib.integrations.base_client.errors import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc7636 import create_s256_code_challenge

from login import CALLBACK, EMAIL, PASSWORD, USER, LoginTest
from pages import Browser, Callback


class Authlib(LoginTest):
    def setUp(self):
        self.metadata = requests.get(f"{self.issuer}.well-known/openid-configuration", timeout=10).json()
        self.verifier = secrets.token_urlsafe(48)

    def client(self, client_id="mobile", secret=None, **more):
        return OAuth2Session(
            client_id, secret, code_challenge_method="S256", redirect_uri=CALLBACK,
            token_endpoint=self.metadata["token_endpoint"],
            revocation_endpoint=self.metadata["revocation_endpoint"],
            token_endpoint_auth_method="client_secret_basic" if secret else "none", **more)

    def callback(self, session, browser=None, **parameters):
        """The redirect after the user logged in."""
        url, self.state = session.create_authorization_url(
            self.metadata["authorization_endpoint"], code_verifier=self.verifier, **parameters)
        answer = self.logged_in(browser or Browser(self.issuer), url)
        self.assertIsInstance(answer, Callback)
        return answer

    def tokens(self, session, **parameters):
        answer = self.callback(session, **parameters)
        return session.fetch_token(
            authorization_response=answer.url, code_verifier=self.verifier, state=self.state)

    def identity(self, tokens):
        key = jwt.PyJWKClient(self.metadata["jwks_uri"]).get_signing_key_from_jwt(tokens["id_token"])
        return jwt.decode(
            tokens["id_token"], key, algorithms=["RS256"], issuer=self.issuer, audience="mobile",
            options={"require": ["iss", "sub", "aud", "iat", "exp", "auth_time"]})

    def test_a_user_logs_in_and_the_id_token_says_who_it_is(self):
        nonce = secrets.token_urlsafe(16)
        tokens = self.tokens(self.client(scope="openid profile email"), nonce=nonce)
        identity = self.identity(tokens)
        self.assertEqual((identity["sub"], identity["nonce"], identity["email"]), (USER, nonce, EMAIL))
        self.assertEqual(tokens["token_type"], "Bearer")
        self.assertNotIn("refresh_token", tokens)

    def test_the_profile_is_what_the_scopes_say(self):
        session = self.client(scope="openid name")
        self.tokens(session)
        profile = session.get(self.metadata["userinfo_endpoint"]).json()
        self.assertEqual(profile, {"sub": USER, "name": "Hanna Herwitz"})
        posted = session.post(self.metadata["userinfo_endpoint"]).json()
        self.assertEqual(posted, profile)

    def test_refresh_tokens_rotate_and_a_used_one_ends_the_family(self):
        session = self.client(scope="openid offline_access")
        first = self.tokens(session, audience="https://api.example.com")
        second = session.refresh_token(self.metadata["token_endpoint"], refresh_token=first["refresh_token"])
        self.assertNotEqual(second["refresh_token"], first["refresh_token"])
        # A second use of the first token is detected, and revokes all tokens.
        for stolen in (first, second):
            with self.assertRaises(OAuthError) as raised:
                session.refresh_token(self.metadata["token_endpoint"], refresh_token=stolen["refresh_token"])
            self.assertEqual(raised.exception.error, "invalid_grant")

    def test_a_revoked_token_refreshes_nothing(self):
        session = self.client(scope="openid offline_access")
        tokens = self.tokens(session, audience="https://api.example.com")
        answer = session.revoke_token(
            self.metadata["revocation_endpoint"], token=tokens["refresh_token"], token_type_hint="refresh_token")
        self.assertEqual((answer.status_code, answer.text), (200, ""))
        with self.assertRaises(OAuthError) as raised:
            session.refresh_token(self.metadata["token_endpoint"], refresh_token=tokens["refresh_token"])
        self.assertEqual(raised.exception.error, "invalid_grant")
        # The tokens of that authorization are revoked as well.
        answer = requests.get(
            self.metadata["userinfo_endpoint"], headers={"Authorization": f"Bearer {tokens['access_token']}"}, timeout=10)
        self.assertEqual(answer.status_code, 401)

    def test_a_code_is_redeemed_once_and_its_replay_takes_back_what_it_gave(self):
        session = self.client(scope="openid offline_access")
        answer = self.callback(session, audience="https://api.example.com")
        tokens = session.fetch_token(
            authorization_response=answer.url, code_verifier=self.verifier, state=self.state)
        with self.assertRaises(OAuthError) as raised:
            session.fetch_token(authorization_response=answer.url, code_verifier=self.verifier, state=self.state)
        self.assertEqual(raised.exception.error, "invalid_grant")
        with self.assertRaises(OAuthError):
            session.refresh_token(self.metadata["token_endpoint"], refresh_token=tokens["refresh_token"])

    def test_a_confidential_client_pushes_its_request(self):
        secret = self.partner_secret
        state = secrets.token_urlsafe(16)
        pushed = requests.post(
            self.metadata["pushed_authorization_request_endpoint"], auth=("partner", secret), timeout=10, data={
                "response_type": "code", "redirect_uri": CALLBACK, "scope": "openid", "state": state,
                "audience": "https://api.example.com",
                "code_challenge": create_s256_code_challenge(self.verifier), "code_challenge_method": "S256",
                "authorization_details": '[{"type":"money_transfer","beneficiary":"Hanna Herwitz"}]'})
        self.assertEqual(pushed.status_code, 201, pushed.text)
        browser = Browser(self.issuer)
        url = self.metadata["authorization_endpoint"] + "?" + urllib.parse.urlencode(
            {"client_id": "partner", "request_uri": pushed.json()["request_uri"]})
        page = self.logged_in(browser, url)
        self.assertIn("Hanna Herwitz", page.text)
        answer = browser.submit(page, "Allow")
        self.assertEqual((answer["state"], answer["iss"]), (state, self.issuer))
        session = self.client("partner", secret)
        tokens = session.fetch_token(
            authorization_response=answer.url, code_verifier=self.verifier, state=state)
        self.assertEqual(tokens["authorization_details"][0]["beneficiary"], "Hanna Herwitz")
        # The refresh token is used up.
        again = browser.open(url)
        self.assertNotIsInstance(again, Callback)
