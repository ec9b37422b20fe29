"""Schemathesis sends requests that the OpenAPI document allows, and many that it does not."""

import os
import pathlib
import re
import subprocess
import sys

import requests

from programs import InteropTest

PROGRAM = pathlib.Path(sys.executable).with_name("st")
# Checks of responses: no server error, and nothing undocumented.
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"


class OpenAPI(InteropTest):
    @classmethod
    def configuration(cls):
        document = super().configuration()
        settings = document["tenants"][0]["settings"]
        settings["management_requests_per_minute"] = settings["logins_per_minute_per_address"] = 1_000_000
        settings["actions_per_minute"] = 1_000_000
        document["tenants"][0]["clients"].append({
            "client_id": "operator", "name": "Operator's program", "client_secret": cls.client_secret,
            "grant_types": ["client_credentials"], "client_grants": [{"audience": f"{cls.issuer}api/v2/"}],
        })
        return document

    def token(self):
        answer = requests.post(
            f"{self.issuer}oauth/token", timeout=10, json={
                "grant_type": "client_credentials", "client_id": "operator", "client_secret": self.client_secret,
                "audience": f"{self.issuer}api/v2/"})
        return answer.json()["access_token"]

    def attack(self, *arguments):
        done = subprocess.run(
            [PROGRAM, "run", f"{self.issuer}openapi.json", "--tls-verify", self.server.authority, "--no-color",
             "--checks", CHECKS, "--phases", "examples,coverage,fuzzing", "--seed", "4711",
             "--generation-deterministic", "--continue-on-failure",
             "--suppress-health-check", "all", "--warnings", "off", "--request-timeout", "60",
             # The stream of events does not end.
             "--exclude-path", "/appliance-mfa/api/notifications", *arguments],
            cwd=self.server.folder, capture_output=True, text=True, timeout=1800, check=False,
            env={**os.environ, "PYTHONWARNINGS": "ignore"})
        told = "\n".join(line[:300] for line in re.split("=+ (ERRORS|FAILURES) =+", done.stdout, maxsplit=1)[-1].splitlines())
        self.assertEqual(done.returncode, 0, f"{told[:20_000]}\n{done.stdout[-600:]}\n{done.stderr[-2_000:]}")
        self.assertEqual(requests.get(f"{self.issuer}readyz", timeout=10).status_code, 200)

    def test_the_management_api_answers_as_the_document_says(self):
        self.attack(
            "--include-path-regex", "^/api/v2/", "--header", f"Authorization: Bearer {self.token()}",
            "--max-examples", "8")

    def test_the_protocol_endpoints_answer_as_the_document_says(self):
        self.attack("--exclude-path-regex", "^/api/v2/", "--max-examples", "15")
