"""auth0-python's unmodified management client configures a tenant for its authentication client."""

import os
import subprocess
import time
import urllib.parse

import jwt
import requests
from auth0.authentication.back_channel_login import BackChannelLogin
from auth0.authentication.exceptions import Auth0Error
from auth0.authentication.get_token import GetToken
from auth0.management import ManagementClient
from auth0.management.core.api_error import ApiError

from documents import snippets
from pages import Browser, Callback
from programs import CIBA, PAYMENT, PROGRAMS, InteropTest

DATABASE = "Username-Password-Authentication"
API = "https://shop.example.com/"
SCHEMA = {
    "type": "object", "required": ["type", "instructedAmount"],
    "properties": {"type": {"type": "string"}, "instructedAmount": {"type": "object"}},
}


class Management(InteropTest):
    @classmethod
    def configuration(cls):
        document = super().configuration()
        document["tenants"][0]["clients"].append({
            "client_id": "operator", "name": "Operator's program", "client_secret": cls.client_secret,
            "grant_types": ["client_credentials"], "client_grants": [{"audience": f"{cls.issuer}api/v2/"}],
        })
        document["tenants"][0]["clients"].append({
            "client_id": "shop", "name": "Shop", "token_endpoint_auth_method": "none",
            "grant_types": ["authorization_code"], "callbacks": ["http://127.0.0.1/callback"],
        })
        return document

    def setUp(self):
        self.api = ManagementClient(domain=self.domain, client_id="operator", client_secret=self.client_secret)

    def refused(self, status, code, call, *arguments, **more):
        """Expects a call to fail, and returns the body of the error."""
        with self.assertRaises(ApiError) as raised:
            call(*arguments, **more)
        body = raised.exception.body
        body = body if isinstance(body, dict) else body.model_dump(by_alias=True)
        self.assertEqual((raised.exception.status_code, body["statusCode"]), (status, status), body)
        self.assertEqual(body.get("errorCode"), code, body)
        return body

    def user(self, name, **more):
        return self.api.users.create(
            connection=DATABASE, email=f"{name.replace(' ', '.')}@management.example", password="Correct-Horse-17", name=name,
            **more)

    # Health

    def test_a_tenant_is_examined_by_its_running_server(self):
        token = requests.post(f"{self.issuer}oauth/token", data={
            "grant_type": "client_credentials", "client_id": "operator", "client_secret": self.client_secret,
            "audience": f"{self.issuer}api/v2/"}).json()["access_token"]
        answer = requests.get(f"{self.issuer}api/v2/health", headers={"Authorization": f"Bearer {token}"})
        self.assertEqual(answer.status_code, 200, answer.text)
        states = {(finding["check"], finding["subject"]): finding["state"] for finding in answer.json()}
        self.assertEqual(states["keys", "interop"], "ok", answer.text)
        # The development server may contact its own machine.
        self.assertEqual(states["dns", self.domain], "ok", answer.text)
        self.assertEqual(states["issuers", self.domain], "ok", answer.text)
        nobody = requests.post(f"{self.issuer}api/v2/health/mail", headers={"Authorization": f"Bearer {token}"})
        self.assertEqual(nobody.status_code, 403, nobody.text)

    # Users

    def test_users_are_created_shown_changed_and_deleted(self):
        created = self.user("Ada", given_name="Ada", user_metadata={"colour": "green"}, app_metadata={"plan": "pro"})
        self.assertRegex(created.user_id, r"\Aauth0\|[0-9a-f]{24}\Z")
        self.assertEqual(created.email, "ada@management.example")
        self.assertEqual(created.identities[0].connection, DATABASE)
        self.refused(409, "user_exists", self.user, "Ada")
        shown = self.api.users.get(created.user_id)
        self.assertEqual((shown.name, shown.user_metadata), ("Ada", {"colour": "green"}))
        changed = self.api.users.update(created.user_id, user_metadata={"size": 4}, nickname="countess")
        self.assertEqual(changed.user_metadata, {"colour": "green", "size": 4})
        self.assertEqual(changed.nickname, "countess")
        found = self.api.users.list_users_by_email(email="ada@management.example")
        self.assertEqual([user.user_id for user in found], [created.user_id])
        self.api.users.delete(created.user_id)
        self.refused(404, "inexistent_user", self.api.users.get, created.user_id)

    def test_a_wrong_user_is_refused_with_the_property_that_is_wrong(self):
        body = self.refused(
            400, "invalid_body", self.api.users.create, connection=DATABASE, email="no address",
            password="Correct-Horse-17")
        self.assertIn("email", body["message"])
        self.refused(
            400, "invalid_body", self.api.users.create, connection=DATABASE, email="weak@management.example",
            password="short")

    def test_users_are_found_the_moment_they_are_there(self):
        for number in range(6):
            self.user(
                f"Seeker {number}", app_metadata={"team": "blue" if number % 2 else "red", "level": number},
                user_metadata={"tags": ["a", f"t{number}"]})
        def names(query, **more):
            return sorted(user.name for user in self.api.users.list(q=query, search_engine="v3", **more))

        self.assertEqual(names('email:"seeker.3@management.example"'), ["Seeker 3"])
        self.assertEqual(names("name:seeker*"), [f"Seeker {number}" for number in range(6)])
        self.assertEqual(names("name:seeker* AND app_metadata.team:red"), ["Seeker 0", "Seeker 2", "Seeker 4"])
        self.assertEqual(names("app_metadata.level:[2 TO 4}"), ["Seeker 2", "Seeker 3"])
        self.assertEqual(names("user_metadata.tags:t5"), ["Seeker 5"])
        self.assertEqual(names("name:seeker* NOT app_metadata.level:(0 OR 1 OR 2 OR 3)"), ["Seeker 4", "Seeker 5"])
        body = self.refused(400, "invalid_query_string", names, "name:(seeker")
        self.assertIn("at 5", body["message"])
        ordered = self.api.users.list(q="name:seeker*", sort="name:-1", per_page=2)
        self.assertEqual([user.name for user in ordered], [f"Seeker {number}" for number in range(5, -1, -1)])

    def log_in(self, email, password, times=1):
        """The page after too many attempts."""
        browser = Browser(self.issuer)
        page = browser.open("authorize?" + urllib.parse.urlencode({
            "response_type": "code", "client_id": "shop", "redirect_uri": "http://127.0.0.1:4711/callback",
            "scope": "openid", "code_challenge_method": "S256",
            "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"}))
        for _ in range(times):
            form = next(form for form in page.forms if "password" in form.fields)
            page = browser.submit(page, form=form, username=email, password=password)
        return page

    def test_blocks_after_too_many_wrong_passwords_are_shown_and_lifted(self):
        user = self.user("Bea")
        email = "bea@management.example"
        self.assertEqual(self.api.user_blocks.list(user.user_id).blocked_for, [])
        lift = (
            lambda: self.api.user_blocks.delete(user.user_id),
            lambda: self.api.user_blocks.delete_by_identifier(identifier=email))
        for each in lift:
            self.log_in(email, "wrong", times=10)
            self.assertNotIsInstance(self.log_in(email, "Correct-Horse-17"), Callback)
            for blocks in (
                    self.api.user_blocks.list(user.user_id, consider_brute_force_enablement=True),
                    self.api.user_blocks.list_by_identifier(identifier=email)):
                block, = blocks.blocked_for
                self.assertEqual((block.identifier, block.ip, block.connection), (email, "127.0.0.1", DATABASE))
            each()
            self.assertEqual(self.api.user_blocks.list_by_identifier(identifier=email).blocked_for, [])
            self.assertIsInstance(self.log_in(email, "Correct-Horse-17"), Callback)
        self.refused(404, "inexistent_user", self.api.user_blocks.list, "auth0|nobody")

    # Roles and permissions

    def test_roles_permit_and_permissions_show_where_they_come_from(self):
        api = self.api.resource_servers.create(
            identifier="https://roles.example.com/", name="Roles", enforce_policies=True,
            token_dialect="access_token_authz",
            scopes=[{"value": "read:a", "description": "Read a"}, {"value": "read:b"}])
        role = self.api.roles.create(name="Reader of a", description="Reads")
        self.assertRegex(role.id, r"\Arol_.{16}\Z")
        permission = {"resource_server_identifier": api.identifier, "permission_name": "read:a"}
        self.api.roles.permissions.add(role.id, permissions=[permission])
        user = self.user("Roland")
        self.api.users.roles.assign(user.user_id, roles=[role.id])
        self.api.users.permissions.create(
            user.user_id, permissions=[{**permission, "permission_name": "read:b"}])
        shown = {item.permission_name: item for item in self.api.users.permissions.list(user.user_id)}
        self.assertEqual(set(shown), {"read:a", "read:b"})
        self.assertEqual(shown["read:a"].sources[0]["source_type"], "ROLE")
        self.assertEqual(shown["read:b"].sources[0]["source_type"], "DIRECT")
        self.assertEqual([item.user_id for item in self.api.roles.users.list(role.id)], [user.user_id])
        self.refused(409, "role_conflict", self.api.roles.create, name="Reader of a")
        self.api.roles.delete(role.id)
        self.assertEqual([item.permission_name for item in self.api.users.permissions.list(user.user_id)], ["read:b"])

    # From an empty tenant to tokens

    def test_what_was_created_is_used_at_once_by_the_ciba_flow(self):
        api = self.api.resource_servers.create(
            identifier=API, name="Shop", scopes=[{"value": "buy", "description": "Buy things"}],
            authorization_details=[{"type": "money_transfer", "schema": SCHEMA}], signing_alg="RS256",
            token_lifetime=600)
        self.assertEqual(self.api.resource_servers.get(api.id).identifier, API)
        client = self.api.clients.create(
            name="Shopping agent", app_type="non_interactive", is_first_party=True, grant_types=[CIBA],
            async_approval_notification_channels=["guardian-push"], token_endpoint_auth_method="client_secret_post")
        self.assertEqual(client.async_approval_notification_channels, ["guardian-push"])
        self.api.client_grants.create(client_id=client.client_id, audience=API, scope=["buy"], subject_type="user")
        user = self.user("Hanna")
        ticket = self.api.guardian.enrollments.create_ticket(user_id=user.user_id)
        self.assertTrue(ticket.ticket_url.startswith(f"{self.issuer}guardian/enroll?ticket="))
        phone = self.server.phone(user.user_id, "interop", "managed-phone")
        self.assertEqual(
            [item.status for item in self.api.users.enrollments.get(user.user_id)], ["confirmed"])

        login = BackChannelLogin(self.domain, client.client_id, client_secret=client.client_secret)
        tokens = GetToken(self.domain, client.client_id, client_secret=client.client_secret)
        started = login.back_channel_login(
            binding_message="Order 4711", login_hint=self.hint(user.user_id), scope="openid buy", audience=API,
            authorization_details=[PAYMENT])
        self.assertEqual(phone.answer("allow")["authorization_details"], [PAYMENT])
        given = tokens.backchannel_login(auth_req_id=started["auth_req_id"], grant_type=CIBA)
        metadata = requests.get(f"{self.issuer}.well-known/openid-configuration", timeout=10).json()
        key = jwt.PyJWKClient(metadata["jwks_uri"]).get_signing_key_from_jwt(given["access_token"])
        claims = jwt.decode(given["access_token"], key, algorithms=["RS256"], audience=API, issuer=self.issuer)
        self.assertEqual((claims["sub"], claims["scope"]), (user.user_id, "openid buy"))
        self.assertEqual(claims["exp"] - claims["iat"], 600)
        # A payment that does not match the schema.
        with self.assertRaises(Auth0Error) as raised:
            login.back_channel_login(
                binding_message="Order 4712", login_hint=self.hint(user.user_id), scope="openid buy", audience=API,
                authorization_details=[{"type": "money_transfer"}])
        self.assertEqual(raised.exception.error_code, "invalid_authorization_details")

        types = [entry.type for entry in self.api.users.logs.list(user.user_id)]
        for kind in ("ciba_start_succeeded", "gd_send_pn", "gd_auth_succeed", "ciba_exchange_succeeded"):
            self.assertIn(kind, types)

        rotated = self.api.clients.rotate_secret(client.client_id)
        self.assertNotEqual(rotated.client_secret, client.client_secret)
        with self.assertRaises(Auth0Error) as raised:
            login.back_channel_login(
                binding_message="Order 4713", login_hint=self.hint(user.user_id), scope="openid")
        self.assertEqual(raised.exception.error_code, "invalid_client")
        self.api.clients.delete(client.client_id)
        self.refused(404, "inexistent_client", self.api.clients.get, client.client_id)

    def test_clients_and_log_entries_are_searched_for(self):
        made = self.api.clients.create(name="Searched agent", app_type="native", client_metadata={"team": "red"})
        found = [client.client_id for client in self.api.clients.list(q="name:searched* AND client_metadata.team:red")]
        self.assertEqual(found, [made.client_id])
        self.api.roles.create(
            name=f"Traced {time.time_ns()}", request_options={"additional_headers": {"X-Correlation-ID": "interop-1"}})
        entries = list(self.api.logs.list(search="references.correlation_id:interop-1 AND type:sa*"))
        self.assertEqual([(entry.type, entry.client_id) for entry in entries], [("sapi", "operator")])
        self.api.clients.delete(made.client_id)
        self.api.clients.delete(made.client_id)

    # Other operations

    def test_what_a_user_proves_themselves_by_is_listed(self):
        user = self.user("Petra")
        methods = list(self.api.users.authentication_methods.list(user.user_id))
        self.assertEqual([(method.type, method.created_at) for method in methods], [("password", user.created_at)])
        self.api.users.update(user.user_id, user_metadata={"a": 1}, app_metadata={"b": 2})
        self.api.users.update(user.user_id, user_metadata={})
        shown = self.api.users.get(user.user_id)
        self.assertEqual((shown.user_metadata, shown.app_metadata), (None, {"b": 2}))

    def test_connections_as_the_sdk_describes_them(self):
        github = self.api.connections.create(
            name="interop-github", strategy="github",
            options={"client_id": "a", "client_secret": "b", "scope": ["read:user", "user:email"]})
        self.assertRegex(github.id, r"\Acon_.{16}\Z")
        oidc = self.api.connections.create(
            name="interop-oidc", strategy="oidc",
            options={
                "client_id": "a", "client_secret": "b", "type": "back_channel",
                "discovery_url": "https://id.example.com/.well-known/openid-configuration"})
        for connection in (github, oidc):
            self.api.connections.delete(connection.id)

    def test_tickets_and_logs(self):
        user = self.user("Tilda")
        ticket = self.api.tickets.change_password(user_id=user.user_id)
        self.assertEqual(requests.get(ticket.ticket, timeout=10).status_code, 200)
        verified = self.api.tickets.verify_email(
            user_id=user.user_id, include_email_in_redirect=True,
            identity={"user_id": user.identities[0].user_id, "provider": user.identities[0].provider})
        self.assertEqual(requests.get(verified.ticket, timeout=10).status_code, 200)
        self.assertIsNotNone(list(self.api.device_credentials.list()))
        entries = list(self.api.logs.list(per_page=5).items)
        self.assertEqual(len(entries), 5)
        shown = self.api.logs.get(entries[0].log_id)
        self.assertEqual((shown.log_id, shown.type), (entries[0].log_id, entries[0].type))
        dates = [entry.date for entry in entries]
        self.assertEqual(dates, sorted(dates, reverse=True))

    def test_settings_factors_and_keys(self):
        settings = self.api.tenants.settings.update(friendly_name="Interop", session_lifetime=12, idle_session_lifetime=6)
        self.assertEqual((settings.friendly_name, settings.session_lifetime), ("Interop", 12))
        factors = {factor.name: factor.enabled for factor in self.api.guardian.factors.list()}
        self.assertTrue(factors["push-notification"])
        keys = list(self.api.keys.signing.list())
        self.assertTrue(any(key.current for key in keys))
        self.assertTrue(all(key.cert.startswith("-----BEGIN CERTIFICATE-----") for key in keys))

    def test_a_token_without_the_scope_is_refused(self):
        answer = requests.post(
            f"{self.issuer}oauth/token", timeout=10, json={
                "grant_type": "client_credentials", "client_id": "operator", "client_secret": self.client_secret,
                "audience": f"{self.issuer}api/v2/", "scope": "read:roles"})
        poor = ManagementClient(domain=self.domain, token=answer.json()["access_token"])
        self.assertIsNotNone(list(poor.roles.list()))
        body = self.refused(403, "insufficient_scope", lambda: list(poor.users.list()))
        self.assertIn("read:users", body["message"])

    def test_many_calls_keep_their_rate_limit_headers(self):
        answer = self.api.roles.with_raw_response.create(name=f"Counted {time.time_ns()}")
        self.assertGreater(int(answer.headers["x-ratelimit-limit"]), 0)

    # The document

    def test_the_commands_of_the_document_run_as_they_stand(self):
        commands = [snippet.text for snippet in snippets("management.md") if snippet.words == ["run"]]
        self.assertGreater(len(commands), 5)
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", "\n".join(commands)], cwd=self.server.folder, capture_output=True,
            text=True, timeout=60, check=False, env={
                **os.environ, "ISSUER": self.issuer, "OPERATOR_SECRET": self.client_secret,
                "PATH": f"{PROGRAMS}:{os.environ['PATH']}"})
        self.assertEqual(done.returncode, 0, f"{done.stdout[-3000:]}\n{done.stderr}")
        # From an empty tenant to an approval: the agent gets its tokens.
        self.assertIn('"access_token":"', done.stdout)
        self.assertIn("Order 4711", done.stdout)
        self.assertIn('"hanna@shop.example"', done.stdout)
