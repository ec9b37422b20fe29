"""cURL samples of Auth0's documents with their placeholders filled in, and the commands that the server prints."""

import json
import re
import string
import subprocess
import unittest

from programs import DEADLINE, PAYMENT, InteropTest, Server, get

# Mobile Push Notifications with CIBA, step 1.
PUSH_START = r"""
curl --location 'https://{YOUR_DOMAIN}/bc-authorize' \
  --header 'Content-Type: application/x-www-form-urlencoded' \
  --data-urlencode 'client_id={YOUR_CLIENT_ID}' \
  --data-urlencode 'client_secret={YOUR_CLIENT_SECRET}' \
  --data-urlencode 'login_hint={ "format": "iss_sub", "iss": "https://{YOUR_DOMAIN}/", "sub": "{USER_ID}" }' \
  --data-urlencode 'scope={SCOPES}' \
  --data-urlencode 'binding_message={BINDING_MESSAGE}'
"""

# The same, step 3.
PUSH_POLL = r"""
curl --location 'https://$tenant/oauth/token' \
  --header 'Content-Type: application/x-www-form-urlencoded' \
  --data-urlencode 'client_id=<CLIENT_ID>' \
  --data-urlencode 'client_secret=<CLIENT_SECRET>' \
  --data-urlencode 'auth_req_id=<AUTH_REQ_ID>' \
  --data-urlencode 'grant_type=urn:openid:params:grant-type:ciba'
"""

# User Authorization with CIBA, step 1: details, blanks in the message and in the JSON, no scope.
DETAILS_START = r"""
curl --location 'https://$tenant/bc-authorize' \
  --request POST \
  --header 'Content-Type: application/x-www-form-urlencoded' \
  --data-urlencode 'client_id=$client_id' \
  --data-urlencode 'client_secret=$client_secret' \
  --data-urlencode 'login_hint={ "format": "iss_sub", "iss": "https://$tenant/", "sub":"$user_id"}' \
  --data-urlencode 'audience=https://api.example.com' \
  --data-urlencode 'binding_message=Confirm payment of 2500' \
  --data-urlencode 'authorization_details=[{
      "type": "money_transfer", 
      "instructedAmount": {
        "amount": 2500, 
        "currency": "USD"
      }, 
      "sourceAccount": "xxxxxxxxxxx1234", 
      "destinationAccount": "xxxxxxxxxxx9876", 
      "beneficiary": "Hanna Herwitz", 
      "subject": "A Lannister Always Pays His Debts"
    }]'
"""

# The same, step 3.
DETAILS_POLL = r"""
curl --location 'https://$tenant/oauth/token' \
  --header 'Content-Type: application/x-www-form-urlencoded' \
  --data-urlencode 'client_id=$client_id' \
  --data-urlencode 'client_secret=$client_secret' \
  --data-urlencode 'auth_req_id=$auth_req_id' \
  --data-urlencode 'grant_type=urn:openid:params:grant-type:ciba'
"""


def paste(lines):
    """Output of a shell for pasted lines."""
    done = subprocess.run(
        ["bash", "-eu", "-o", "pipefail", "-c", lines], stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=DEADLINE, check=False)
    assert done.returncode == 0, f"{lines}\nexited with {done.returncode}: {done.stderr}"
    return done.stdout


class CurlSamples(InteropTest):
    USERS = ("auth0|hanna", "auth0|tyrion")

    def push(self, sample, **more):
        """Fills in the placeholders of the first document."""
        blanks = {
            "{YOUR_DOMAIN}": self.domain, "$tenant": self.domain, "{YOUR_CLIENT_ID}": self.client_id,
            "<CLIENT_ID>": self.client_id, "{YOUR_CLIENT_SECRET}": self.client_secret,
            "<CLIENT_SECRET>": self.client_secret, **more}
        for blank, value in blanks.items():
            sample = sample.replace(blank, value)
        return json.loads(paste(sample))

    def details(self, sample, **more):
        """Fills in the placeholders of the second document."""
        blanks = {"tenant": self.domain, "client_id": self.client_id, "client_secret": self.client_secret}
        return json.loads(paste(string.Template(sample).substitute(blanks | more)))

    def test_push_notifications(self):
        started = self.push(
            PUSH_START, **{"{USER_ID}": "auth0|hanna", "{SCOPES}": "openid", "{BINDING_MESSAGE}": "21-49-38"})
        self.assertEqual(started.keys(), {"auth_req_id", "expires_in", "interval", "approval_uri"})
        identifier = {"<AUTH_REQ_ID>": started["auth_req_id"]}
        self.assertEqual(self.push(PUSH_POLL, **identifier), {
            "error": "authorization_pending", "error_description": "The end-user authorization is pending"})
        shown = self.phones["auth0|hanna"].answer("allow")
        self.assertEqual(
            (shown["audience"], shown["scope"], shown["binding_message"]),
            (f"https://{self.domain}/userinfo", ["openid"], "21-49-38"))
        tokens = self.push(PUSH_POLL, **identifier)
        self.assertEqual(tokens.keys(), {"access_token", "id_token", "expires_in", "scope", "token_type"})
        self.assertEqual(
            (tokens["expires_in"], tokens["scope"], tokens["token_type"]), (86400, "openid", "Bearer"))

    def test_authorization_with_details(self):
        started = self.details(DETAILS_START, user_id="auth0|hanna")
        identifier = {"auth_req_id": started["auth_req_id"]}
        self.assertEqual(self.details(DETAILS_POLL, **identifier)["error"], "authorization_pending")
        shown = self.phones["auth0|hanna"].answer("allow")
        self.assertEqual(shown["authorization_details"], [PAYMENT])
        tokens = self.details(DETAILS_POLL, **identifier)
        self.assertEqual(tokens["authorization_details"], [PAYMENT])
        self.assertEqual((tokens["expires_in"], tokens["token_type"]), (86400, "Bearer"))
        self.assertNotIn("id_token", tokens)

    def test_a_rejection(self):
        started = self.details(DETAILS_START, user_id="auth0|tyrion")
        self.phones["auth0|tyrion"].answer("reject")
        self.assertEqual(self.details(DETAILS_POLL, auth_req_id=started["auth_req_id"]), {
            "error": "access_denied",
            "error_description": "The end-user denied the authorization request or it has been expired"})


class PrintedLines(unittest.TestCase):
    def test_the_lines_that_the_server_prints_work_when_they_are_pasted(self):
        server = Server()
        self.addCleanup(server.stop)
        text = "\n".join(server.printed)
        blocks = re.findall(r"^# .*\n((?:(?!# ).+\n)+)", text + "\n", re.MULTILINE)
        # The login needs a browser; ServeTests cover it.
        metadata, phone, ask, _, start, poll, hold, grant, users = (block.strip() for block in blocks)
        issuer = server.development["issuer"]
        self.assertEqual(json.loads(paste(metadata)), json.loads(get(f"{issuer}.well-known/openid-configuration")[1]))

        self.assertEqual([user["name"] for user in json.loads(paste(f"{grant}\n{users}"))], ["Hanna Herwitz"])

        settings, enroll, watch = phone.splitlines()
        self.assertIn("enrolled", paste(f"{settings}\n{enroll}"))
        # A person would answer y; the test has no terminal.
        watch = f"{settings}\n{watch} --answer allow --count 1"
        shown, token = paste(f"{ask} > '{server.folder}/token' &\n{watch}\necho ---\nwait $!\ncat '{server.folder}/token'") \
            .split("---\n")
        self.assertIn("Hanna Herwitz", shown)
        self.assertEqual(token.count("."), 2)

        answers = paste(f"{start}\n{poll}\necho\n{watch} > '{server.folder}/watched'\n{hold}")
        pending, tokens = (json.loads(line) for line in answers.splitlines() if line.startswith("{"))
        self.assertEqual(pending["error"], "authorization_pending")
        self.assertEqual(tokens["authorization_details"], [PAYMENT])
