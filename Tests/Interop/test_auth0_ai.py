"""auth0-ai guards an agent's tool: the tool runs only after the user allowed it."""

import asyncio

from auth0_ai.authorizers.async_authorization import AsyncAuthorizerBase
from auth0_ai.authorizers.async_authorization.async_authorizer_base import get_async_authorization_credentials
from auth0_ai.interrupts.async_authorization_interrupts import (
    AccessDeniedInterrupt, AuthorizationPendingInterrupt, UserDoesNotHavePushNotificationsInterrupt)

from programs import AUDIENCE, PAYMENT, InteropTest


class Auth0AI(InteropTest):
    USERS = ("auth0|hanna", "auth0|tyrion", "auth0|later")

    def tool(self, user, mode="block", **more):
        """A tool that returns its access token."""
        authorizer = AsyncAuthorizerBase(
            {
                "scopes": ["openid", "read:profile"], "audience": AUDIENCE, "user_id": user, "requested_expiry": 60,
                "binding_message": lambda amount: f"Confirm payment of {amount}", "on_authorization_request": mode,
                "authorization_details": lambda amount: [
                    {**PAYMENT, "instructedAmount": {"amount": amount, "currency": "USD"}}],
                **more,
            },
            {"domain": self.domain, "client_id": self.client_id, "client_secret": self.client_secret})
        return authorizer.protect(
            lambda amount: {"thread_id": "thread", "tool_call_id": "call", "tool_name": "pay"},
            lambda amount: get_async_authorization_credentials())

    def test_a_tool_waits_for_the_user_and_then_has_a_token(self):
        with self.phones["auth0|hanna"].watching("allow"):
            credentials = asyncio.run(self.tool("auth0|hanna")(2500))
        self.assertEqual(credentials["token_type"], "Bearer")
        self.assertEqual(sorted(credentials["scope"]), ["openid", "read:profile"])
        self.assertEqual(credentials["access_token"].count("."), 2)

    def test_a_tool_that_was_interrupted_goes_on_when_it_is_called_again(self):
        tool = self.tool("auth0|later", mode="interrupt")
        with self.assertRaises(AuthorizationPendingInterrupt) as raised:
            asyncio.run(tool(99))
        self.assertEqual(raised.exception.next_retry_interval(), 1)
        shown = self.phones["auth0|later"].answer("allow")
        self.assertEqual(shown["binding_message"], "Confirm payment of 99")
        self.assertEqual(shown["authorization_details"][0]["instructedAmount"]["amount"], 99)
        self.assertEqual(asyncio.run(tool(99))["token_type"], "Bearer")

    def test_a_rejection_stops_the_tool(self):
        with self.phones["auth0|tyrion"].watching("reject"), self.assertRaises(AccessDeniedInterrupt):
            asyncio.run(self.tool("auth0|tyrion")(1))

    def test_a_user_without_a_phone_is_told_to_get_one(self):
        with self.assertRaises(UserDoesNotHavePushNotificationsInterrupt):
            asyncio.run(self.tool("auth0|without-phone")(1))
