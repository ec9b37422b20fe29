"""Authlib in Flask, as in Auth0's quickstart for Python websites: a confidential client without PKCE."""

import secrets
import urllib.parse

from authlib.integrations.flask_client import OAuth
from flask import Flask, redirect, session, url_for

from login import EMAIL, USER, LoginTest
from pages import Browser, Callback

ORIGIN = "http://127.0.0.1:4711"


class FlaskQuickstart(LoginTest):
    def setUp(self):
        app = Flask("quickstart")
        app.secret_key = secrets.token_hex()
        oauth = OAuth(app)
        oauth.register(
            "auth0", client_id="website", client_secret=self.website_secret,
            client_kwargs={"scope": "openid profile email"},
            server_metadata_url=f"{self.issuer}.well-known/openid-configuration")

        @app.route("/login")
        def login():
            return oauth.auth0.authorize_redirect(redirect_uri=url_for("callback", _external=True))

        @app.route("/callback")
        def callback():
            session["user"] = oauth.auth0.authorize_access_token()["userinfo"]
            return redirect("/")

        @app.route("/logout")
        def logout():
            session.clear()
            return redirect(f"{self.issuer}v2/logout?" + urllib.parse.urlencode(
                {"returnTo": url_for("home", _external=True), "client_id": "website"}))

        @app.route("/")
        def home():
            return dict(session.get("user") or {})

        self.site, self.browser = app.test_client(), Browser(self.issuer)

    def get(self, path):
        return self.site.get(path, base_url=ORIGIN)

    def test_a_user_logs_in_without_pkce_and_out_again(self):
        start = self.get("/login").location
        self.assertNotIn("code_challenge", start)
        answer = self.logged_in(self.browser, start)
        self.assertIsInstance(answer, Callback)
        self.assertEqual(self.get(answer.url.removeprefix(ORIGIN)).location, "/")
        user = self.get("/").json
        self.assertEqual((user["sub"], user["email"], user["name"]), (USER, EMAIL, "Hanna Herwitz"))
        self.assertIsInstance(user["updated_at"], int)
        left = self.browser.open(self.get("/logout").location)
        self.assertEqual(left.url, f"{ORIGIN}/")
        self.assertEqual(self.get("/").json, {})
