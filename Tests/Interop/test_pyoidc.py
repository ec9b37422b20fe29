"""pyoidc, a certified relying party that checks the type of every claim, logs a user in."""

import secrets

from oic.oic import Client
from oic.oic.message import AccessTokenResponse, AuthorizationResponse, RegistrationResponse
from oic.utils.authn.client import CLIENT_AUTHN_METHOD
from oic.utils.settings import OicClientSettings

from login import CALLBACK, EMAIL, USER, LoginTest
from pages import Browser


class PyOIDC(LoginTest):
    def test_a_user_logs_in_with_their_profile(self):
        settings = OicClientSettings(verify_ssl=str(self.server.authority))
        client = Client(client_authn_method=CLIENT_AUTHN_METHOD, settings=settings)
        client.provider_config(self.issuer)
        client.store_registration_info(
            RegistrationResponse(client_id="website", client_secret=self.website_secret))
        state = secrets.token_urlsafe(16)
        request = client.construct_AuthorizationRequest(request_args={
            "response_type": "code", "scope": ["openid", "profile", "email"], "redirect_uri": CALLBACK,
            "nonce": secrets.token_urlsafe(16), "state": state})
        callback = self.logged_in(Browser(self.issuer), request.request(client.authorization_endpoint))
        answer = client.parse_response(
            AuthorizationResponse, info=callback.url.partition("?")[2], sformat="urlencoded")
        tokens = client.do_access_token_request(
            state=answer["state"], request_args={"code": answer["code"], "redirect_uri": CALLBACK},
            authn_method="client_secret_basic")
        self.assertIsInstance(tokens, AccessTokenResponse, tokens)
        identity, profile = tokens["id_token"], client.do_user_info_request(state=answer["state"])
        for claims in (identity, profile):
            self.assertEqual((claims["sub"], claims["email"]), (USER, EMAIL))
            self.assertIsInstance(claims["updated_at"], int)
