"""auth0-server-python, the SDK behind Auth0's web frameworks, uses discovery and polls by itself."""

import asyncio
import json

from auth0_server_python.auth_server import ServerClient
from auth0_server_python.error import ApiError

from programs import AUDIENCE, PAYMENT, InteropTest


class MemoryStore:
    """The session store of a web framework."""

    def __init__(self):
        self.states = {}

    async def set(self, identifier, state, *_, **__):
        self.states[identifier] = state

    async def get(self, identifier, *_, **__):
        return self.states.get(identifier)

    async def delete(self, identifier, *_, **__):
        self.states.pop(identifier, None)


class Auth0ServerPython(InteropTest):
    USERS = ("auth0|hanna", "auth0|tyrion")

    def client(self, secret=None):
        return ServerClient(
            domain=self.domain, client_id=self.client_id, client_secret=secret or self.client_secret,
            secret="a secret for sessions that are not kept", state_store=MemoryStore(),
            transaction_store=MemoryStore(), authorization_params={"audience": AUDIENCE})

    def login(self, client, user="auth0|hanna", **more):
        return asyncio.run(client.login_backchannel({
            "binding_message": "Confirm payment of 2500", "login_hint": {"sub": user},
            "authorization_params": more or None}))

    def test_a_login_with_details_ends_in_a_session(self):
        client = self.client()
        with self.phones["auth0|hanna"].watching("allow"):
            result = self.login(client, authorization_details=json.dumps([PAYMENT]), requested_expiry=60)
        self.assertEqual(result, {"authorization_details": [PAYMENT]})
        state = next(iter(client._state_store.states.values()))
        self.assertEqual(state["token_sets"][0]["audience"], AUDIENCE)

    def test_a_rejection_ends_the_login(self):
        with self.phones["auth0|tyrion"].watching("reject"), self.assertRaises(ApiError) as raised:
            self.login(self.client(), "auth0|tyrion")
        self.assertIn("denied", str(raised.exception))

    def test_an_unknown_user_and_a_wrong_secret_are_told_apart(self):
        for client, user, code in (
            (self.client(), "auth0|nobody", "unknown_user_id"),
            (self.client(secret="wrong"), "auth0|hanna", "invalid_client"),
        ):
            with self.subTest(code=code), self.assertRaises(ApiError) as raised:
                self.login(client, user)
            self.assertEqual(raised.exception.code, code)
