"""Stand-ins for Apple's, Google's and Amazon's push services, with protocol implementations that nobody here wrote: h2,
PyJWT and botocore. Each checks all that it gets, and answers as a test tells it."""

import base64
import collections
import http.server
import json
import queue
import re
import socket
import ssl
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions
import jwt
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from hyperframe.frame import SettingsFrame
from mail_server import PASSWORD, USER, Sink, certificate
from programs import CIBA, DEADLINE, InteropTest, Server, eventually, run
from test_web_push import PushService, subscription

HOST = "127.0.0.2"


def pem(key):
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


def stream_limit(count):
    """A frame of SETTINGS with SETTINGS_MAX_CONCURRENT_STREAMS (RFC 9113 clause 6.5.2)."""
    frame = SettingsFrame(0)
    frame.settings = {SettingsFrame.MAX_CONCURRENT_STREAMS: count}
    return frame.serialize()


def cut(connections):
    for connection in list(connections):
        try:
            connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


class Told:
    """Messages that a service received, and its answers: the queued ones first, then the usual one."""

    def __init__(self):
        self.messages = queue.SimpleQueue()
        self.problems = []
        self.answers = collections.deque()

    def next(self):
        return self.messages.get(timeout=DEADLINE)

    def answer(self):
        return self.answers.popleft() if self.answers else None


class APNs(Told):
    """Apple's push service: HTTP/2 over TLS alone, and every rule of a request. A connection takes one stream until a
    push with a token succeeds, then 500."""

    delay = 0.02
    """Seconds until an answer, in which other requests may come. The answer `slow` waits for `release`."""
    reasons = {
        "BadDeviceToken": 400, "DeviceTokenNotForTopic": 400, "Unregistered": 410, "ExpiredToken": 410,
        "ExpiredProviderToken": 403, "InvalidProviderToken": 403, "TooManyRequests": 429, "ServiceUnavailable": 503,
        "TopicDisallowed": 400, "InternalServerError": 500,
    }

    def __init__(self, folder, topic, key=None, team=None, key_id=None, authority=None):
        """Knows apps by the key's tokens, or by certificates of the authority in that file."""
        super().__init__()
        self.key, self.team, self.key_id, self.topic = key, team, key_id, topic
        self.subjects = set()
        self.tokens = set()
        self.connections = 0
        self.excess = 0
        """Streams beyond the limit. Each is refused, or ends its connection if `ends_connections` is true."""
        self.ends_connections = False
        self.release = threading.Event()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate(folder, "push"))
        context.set_alpn_protocols(["h2"])
        if authority:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(authority)
        self._context = context
        self._open = set()
        self._port = 0
        self.start()
        self.url = f"https://{HOST}:{self._port}"

    def start(self):
        """Listens, also again after `stop`."""
        self._listener = socket.create_server((HOST, self._port))
        self._port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def stop(self):
        """Refuses connections and cuts those that are open."""
        try:
            # Ends `accept` in the other thread, which `close` alone does not.
            self._listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._listener.close()
        cut(self._open)

    def _accept(self, listener):
        while True:
            try:
                plain, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(plain,), daemon=True).start()

    def _serve(self, plain):
        try:
            with self._context.wrap_socket(plain, server_side=True) as connection:
                if connection.selected_alpn_protocol() != "h2":
                    self.problems.append("no HTTP/2")
                    return
                self.connections += 1
                for part in (connection.getpeercert() or {}).get("subject", ()):
                    self.subjects.update(part)
                self._open.add(connection)
                try:
                    self._speak(connection)
                finally:
                    self._open.discard(connection)
        except OSError:
            pass

    def _speak(self, connection):
        state = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        state.initiate_connection()
        # The limit is this class's to watch: h2 itself would answer each stream beyond it in the same way.
        state.clear_outbound_data_buffer()
        limit = 1 if self.key else 500
        connection.sendall(stream_limit(limit))
        # Requests by stream, until they are answered.
        requests, turn = {}, threading.Lock()

        def respond(stream, status, reason, more):
            nonlocal limit
            text = json.dumps({"reason": reason, **more}).encode() if reason else b""
            with turn:
                try:
                    fields, _ = requests.pop(stream)
                    state.send_headers(
                        stream, [(":status", str(status)), ("apns-id", dict(fields)["apns-id"])], end_stream=not text)
                    if text:
                        state.send_data(stream, text, end_stream=True)
                    raised = stream_limit(500) if status == 200 and limit == 1 else b""
                    limit = 500 if raised else limit
                    connection.sendall(raised + state.data_to_send())
                except (OSError, h2.exceptions.ProtocolError):
                    # The connection has ended meanwhile.
                    pass

        def respond_late(stream, status, more):
            self.release.wait(DEADLINE)
            respond(stream, status, None, more)

        while data := connection.recv(65_536):
            with turn:
                events = state.receive_data(data)
                for event in events:
                    if isinstance(event, h2.events.RequestReceived):
                        if len(requests) < limit:
                            requests[event.stream_id] = (event.headers, bytearray())
                            continue
                        self.excess += 1
                        if self.ends_connections:
                            state.close_connection(h2.errors.ErrorCodes.REFUSED_STREAM, last_stream_id=min(requests))
                            connection.sendall(state.data_to_send())
                            return
                        state.reset_stream(event.stream_id, h2.errors.ErrorCodes.REFUSED_STREAM)
                    elif isinstance(event, h2.events.DataReceived) and event.stream_id in requests:
                        requests[event.stream_id][1].extend(event.data)
                        state.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                connection.sendall(state.data_to_send())
            for event in events:
                if not isinstance(event, h2.events.StreamEnded) or event.stream_id not in requests:
                    continue
                fields, body = requests[event.stream_id]
                answer = self._answer(fields, bytes(body))
                if answer == "cut":
                    return
                if answer == "garbage":
                    connection.sendall(b"\x00HTTP/1.1 200 this is no frame\r\n\r\n" * 40)
                    return
                status, reason, more = answer
                if reason == "slow":
                    threading.Thread(target=respond_late, args=(event.stream_id, status, more), daemon=True).start()
                else:
                    threading.Timer(self.delay, respond, (event.stream_id, status, reason, more)).start()

    def _answer(self, fields, body):
        names = [name for name, _ in fields]
        if len(names) != len(set(names)):
            self.problems.append(f"repeated fields: {names}")
        fields = dict(fields)
        problem = self._problem(fields, body)
        if problem:
            self.problems.append(problem)
            return 400, problem, {}
        planned = self.answer()
        if callable(planned):
            planned = planned()
        token = fields[":path"].rsplit("/", 1)[1]
        if planned is None and token == "0" * 64:
            planned = "BadDeviceToken"
        if planned is None or planned == "slow":
            self.messages.put((token, fields, json.loads(body)))
            return 200, planned, {}
        if planned in ("cut", "garbage"):
            return planned
        reason, more = planned if isinstance(planned, tuple) else (planned, {})
        return self.reasons[reason], reason, more

    def _problem(self, fields, body):
        if fields[":method"] != "POST" or fields[":scheme"] != "https":
            return "MethodNotAllowed"
        if not re.fullmatch(r"/3/device/[0-9a-f]{64}", fields[":path"]):
            return "BadPath"
        if len(body) > 4096:
            return "PayloadTooLarge"
        payload = json.loads(body)
        problem = self._token_problem(fields.get("authorization"))
        if problem:
            return problem
        if fields.get("apns-topic") != self.topic:
            return "BadTopic"
        kind = fields.get("apns-push-type")
        if kind not in ("alert", "background"):
            return "InvalidPushType"
        if fields.get("apns-priority") != ("10" if kind == "alert" else "5"):
            return "BadPriority"
        if kind == "background" and payload["aps"] != {"content-available": 1}:
            return "InvalidPushType"
        if not 0 <= int(fields.get("apns-expiration", "x")) < time.time() + 3 * 86_400:
            return "BadExpirationDate"
        if len(fields.get("apns-collapse-id", "").encode()) > 64:
            return "BadCollapseId"
        if str(uuid.UUID(fields["apns-id"])) != fields["apns-id"]:
            return "BadMessageId"
        return None


    def _token_problem(self, authorization):
        if self.key is None:
            return "InvalidProviderToken" if authorization else None
        scheme, token = (authorization or " ").split(" ", 1)
        if scheme != "bearer":
            return "MissingProviderToken"
        header = jwt.get_unverified_header(token)
        if header != {"alg": "ES256", "kid": self.key_id}:
            return "InvalidProviderToken"
        claims = jwt.decode(token, self.key.public_key(), algorithms=["ES256"])
        if set(claims) != {"iss", "iat"} or claims["iss"] != self.team or not -5 < time.time() - claims["iat"] < 3600:
            return "ExpiredProviderToken"
        self.tokens.add(token)
        return None


class HTTPService(Told):
    """A service over HTTP/1.1 and TLS."""

    def __init__(self, folder):
        super().__init__()
        self.clock_offset = 0
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self):
                super().setup()
                service.open.add(self.request)

            def finish(self):
                service.open.discard(self.request)
                super().finish()

            def date_time_string(self, timestamp=None):
                return super().date_time_string((timestamp or time.time()) + service.clock_offset)

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                answer = service.handle(self.path, self.headers, body)
                if answer is None:
                    self.close_connection = True
                    return
                status, fields, text = answer
                self.send_response(status)
                for name, value in fields.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_arguments):
                pass

        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(*certificate(folder, "push"))
        self._handler, self._port, self.open = Handler, 0, set()
        self.start()
        self.url = f"https://{HOST}:{self._port}"

    def start(self):
        """Listens, also again after `stop`."""
        self.server = http.server.ThreadingHTTPServer((HOST, self._port), self._handler)
        self._port = self.server.server_address[1]
        self.server.socket = self._context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self):
        """Refuses connections and cuts those that are open."""
        self.server.shutdown()
        self.server.server_close()
        cut(self.open)


class FCM(HTTPService):
    """Firebase Cloud Messaging, HTTP v1, and Google's token endpoint."""

    def __init__(self, folder, key, project, email):
        super().__init__(folder)
        self.key, self.project, self.email = key, project, email
        self.issued = []
        self.token_answers = collections.deque()

    def handle(self, path, fields, body):
        if path == "/token":
            return self._token(body)
        answer = self._send(path, fields, json.loads(body))
        if answer is None or isinstance(answer[2], bytes):
            return answer
        return answer[0], {"Content-Type": "application/json", **answer[1]}, json.dumps(answer[2]).encode()

    def _token(self, body):
        form = dict(urllib.parse.parse_qsl(body.decode(), strict_parsing=True))
        try:
            claims = jwt.decode(
                form["assertion"], self.key.public_key(), algorithms=["RS256"],
                audience="https://oauth2.googleapis.com/token")
        except jwt.InvalidSignatureError:
            return 400, {}, b'{"error":"invalid_grant","error_description":"Invalid JWT Signature."}'
        if form["grant_type"] != "urn:ietf:params:oauth:grant-type:jwt-bearer" or claims["iss"] != self.email or \
                claims["scope"] != "https://www.googleapis.com/auth/firebase.messaging" or \
                claims["exp"] - claims["iat"] != 3600:
            self.problems.append(f"assertion: {claims}")
        if self.token_answers:
            status, answer = self.token_answers.popleft()
            return status, {}, json.dumps(answer).encode()
        self.issued.append(f"ya29.{uuid.uuid4().hex}")
        return 200, {}, json.dumps(
            {"access_token": self.issued[-1], "expires_in": 3599, "token_type": "Bearer"}).encode()

    @staticmethod
    def error(status, code, more=None):
        details = [{"@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", "errorCode": code}]
        return status, more or {}, {"error": {"code": status, "message": "no", "status": code, "details": details}}

    def _send(self, path, fields, body):
        if path != f"/v1/projects/{self.project}/messages:send" or \
                fields["Authorization"] not in {f"Bearer {token}" for token in self.issued}:
            self.problems.append(f"{path} {fields['Authorization']}")
            return self.error(401, "UNSPECIFIED_ERROR")
        message = body["message"]
        if not all(isinstance(value, str) for value in message["data"].values()) or "notification" in message or \
                len(json.dumps(message["data"])) > 4096:
            self.problems.append(f"data: {message}")
        planned = self.answer()
        if planned == "cut":
            return None
        if planned == "garbage":
            return 200, {}, b"<html>not found"
        if planned is not None:
            return planned
        if not body.get("validate_only"):
            self.messages.put(message)
        return 200, {}, {"name": f"projects/{self.project}/messages/{uuid.uuid4()}"}


class SNS(HTTPService):
    """Amazon's notification service, whose signatures botocore makes again."""

    def __init__(self, folder, access_key, secret, region):
        super().__init__(folder)
        self.credentials, self.region = Credentials(access_key, secret), region
        self.endpoints = {}
        self.disabled = set()
        self.actions = []

    def handle(self, path, fields, body):
        form = dict(urllib.parse.parse_qsl(body.decode(), keep_blank_values=True, strict_parsing=True))
        self.actions.append(form["Action"])
        if not self._is_signed(path, fields, body):
            self.problems.append(f"signature of {form['Action']}")
            return self._error(403, "SignatureDoesNotMatch")
        planned = self.answer()
        if planned == "cut":
            return None
        if planned == "garbage":
            return 200, {}, b"\x00\xff<html>"
        if planned is not None:
            return self._error(*planned)
        return getattr(self, "_" + form["Action"])(form)

    def _is_signed(self, path, fields, body):
        request = AWSRequest("POST", self.url + path, data=body, headers={
            "Content-Type": fields["Content-Type"], "Host": fields["Host"]})
        request.context["timestamp"] = fields["X-Amz-Date"]
        signer = SigV4Auth(self.credentials, "sns", self.region)
        scope = f"{self.credentials.access_key}/{signer.credential_scope(request)}"
        request.headers["X-Amz-Date"] = fields["X-Amz-Date"]
        canonical = signer.canonical_request(request)
        signature = signer.signature(signer.string_to_sign(request, canonical), request)
        return fields["Authorization"] == (
            f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=content-type;host;x-amz-date, Signature={signature}")

    @staticmethod
    def _error(status, code, message="no", fields=None):
        text = f"<ErrorResponse><Error><Type>Sender</Type><Code>{code}</Code><Message>{message}</Message></Error>" \
            "<RequestId>1</RequestId></ErrorResponse>"
        return status, {"Content-Type": "text/xml", **(fields or {})}, text.encode()

    @staticmethod
    def _ok(action, inner=""):
        return 200, {"Content-Type": "text/xml"}, (
            f'<{action}Response xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><{action}Result>{inner}'
            f"</{action}Result></{action}Response>").encode()

    def _CreatePlatformEndpoint(self, form):
        application, token = form["PlatformApplicationArn"], form["Token"]
        arn = self.endpoints.setdefault(
            (application, token),
            application.replace(":app/", ":endpoint/") + f"/{uuid.uuid5(uuid.NAMESPACE_OID, token)}")
        return self._ok("CreatePlatformEndpoint", f"<EndpointArn>{arn}</EndpointArn>")

    def _GetPlatformApplicationAttributes(self, _form):
        return self._ok(
            "GetPlatformApplicationAttributes",
            "<Attributes><entry><key>Enabled</key><value>true</value></entry></Attributes>")

    def _SetEndpointAttributes(self, form):
        self.disabled.discard(form["EndpointArn"])
        return self._ok("SetEndpointAttributes")

    def _DeleteEndpoint(self, form):
        self.endpoints = {name: arn for name, arn in self.endpoints.items() if arn != form["EndpointArn"]}
        return self._ok("DeleteEndpoint")

    def _Publish(self, form):
        arn = form["TargetArn"]
        if arn not in self.endpoints.values():
            return self._error(404, "NotFound")
        if arn in self.disabled:
            return self._error(400, "EndpointDisabled")
        attributes = {
            value: form[name.replace(".Name", ".Value.StringValue")]
            for name, value in form.items() if re.fullmatch(r"MessageAttributes\.entry\.\d+\.Name", name)}
        self.messages.put((arn, json.loads(form["Message"]), attributes))
        return self._ok("Publish", f"<MessageId>{uuid.uuid4()}</MessageId>")


def pushed_server(test, make, options):
    """A server that trusts the service that `make` makes in its folder. The test class gets a mail server and a Web
    Push service beside it."""
    def before(folder):
        make(folder)
        test.web_push = PushService(folder)
        test.addClassCleanup(test.web_push.stop)
        test.mail = Sink(folder, "push", False)
        test.addClassCleanup(test.mail.stop)
        (folder / "password").touch(mode=0o600)
        (folder / "password").write_text(PASSWORD, encoding="utf-8")

    return Server(
        before, lambda folder: [
            "--trusted-authorities", folder / "push.pem", "--outgoing-networks", "127.0.0.0/8", "--smtp-url",
            test.mail.url, "--smtp-user", USER, "--smtp-password-file", folder / "password", "--mail-from",
            "no-reply@example.com", *options()])


class PushTest(InteropTest):
    """A user whose phone has a push token beside its key."""

    service_name = None
    queue = None
    """Name of the service's queue in `countersign deliveries`."""
    USERS = ()
    people = ("plain",)
    """Names of the users of the class's tests."""

    @classmethod
    def configuration(cls):
        configuration = super().configuration()
        tenant = configuration["tenants"][0]
        tenant["users"] += [
            {"user_id": f"auth0|{name}", "name": name, "email": f"{name}@example.com", "email_verified": True}
            for name in (*cls.people, "answered", "down", "alone", "mailed", "elsewhere")]
        tenant["clients"].append({
            **tenant["clients"][0], "client_id": "mailing-agent",
            "async_approval_notification_channels": ["guardian-push", "email"]})
        return configuration

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.addClassCleanup(cls.service.stop)
        cls.set_credentials()

    @classmethod
    def command(cls, *arguments):
        return run("countersign", "push", *arguments, "--data", cls.server.data, "--tenant", "interop")

    @classmethod
    def change(cls, *arguments):
        """A command that changes the configuration. Returns when the server has read it."""
        def reloads():
            return cls.server.errors().count("configuration reloaded")

        # The class's own configuration was the first.
        eventually(lambda: reloads() > 0)
        before = reloads()
        cls.command(*arguments)
        eventually(lambda: reloads() > before)

    def cancel(self, started):
        form = urllib.parse.urlencode({
            "client_id": self.client_id, "client_secret": self.client_secret, "token": started["auth_req_id"],
            "token_type_hint": "auth_req_id"})
        with urllib.request.urlopen(self.issuer + "oauth/revoke", form.encode(), timeout=DEADLINE) as answer:
            self.assertEqual(answer.status, 200)

    def post(self, path, body, method="POST", **fields):
        request = urllib.request.Request(
            self.issuer + path, json.dumps(body).encode(), {"Content-Type": "application/json", **fields},
            method=method)
        with urllib.request.urlopen(request, timeout=DEADLINE) as answer:
            return json.load(answer)

    def enroll(self, user, token, name="phone", service=None):
        """Enrols a phone as an app does, and returns its id and secret token."""
        device = ec.generate_private_key(ec.SECP256R1()).public_key().public_numbers()
        uri = self.server.ticket(user, "interop")
        ticket = dict(part.split("=", 1) for part in uri.split("?", 1)[1].split("&"))["enrollment_tx_id"]

        def encoded(number):
            return base64.urlsafe_b64encode(number.to_bytes(32, "big")).rstrip(b"=").decode()

        enrolled = self.post(
            "appliance-mfa/api/enroll", {
                "identifier": name, "name": name,
                "public_key": {"kty": "EC", "crv": "P-256", "alg": "ES256", "x": encoded(device.x),
                               "y": encoded(device.y)},
                "push_credentials": {"service": service or self.service_name, "token": token},
            }, Authorization=f'Ticket id="{ticket}"')
        return enrolled["id"], enrolled["token"]

    def terminal(self, user, token):
        """A terminal phone that has a push token beside its key."""
        phone = self.server.phone(user, "interop", user.replace("|", "-"))
        store = json.loads((self.server.folder / f"{user.replace('|', '-')}.json").read_text(encoding="utf-8"))
        self.post(
            f"appliance-mfa/api/device-accounts/{phone.id}",
            {"push_credentials": {"service": self.service_name, "token": token}}, "PATCH",
            Authorization=f"Bearer {store['devices'][0]['token']}")
        return phone

    def start(self, user, message="Order 4711", client=None):
        return self.post("bc-authorize", {
            "client_id": client or self.client_id, "client_secret": self.client_secret, "scope": "openid",
            "binding_message": message, "login_hint": self.hint(user)})

    def polled(self, started, client=None):
        """The end of a request as its client sees it."""
        def ended():
            form = urllib.parse.urlencode({
                "client_id": client or self.client_id, "client_secret": self.client_secret, "grant_type": CIBA,
                "auth_req_id": started["auth_req_id"]})
            try:
                with urllib.request.urlopen(self.issuer + "oauth/token", form.encode(), timeout=DEADLINE) as answer:
                    return json.load(answer)
            except urllib.error.HTTPError as refused:
                with refused:
                    answer = json.load(refused)
                return None if answer["error"] in ("authorization_pending", "slow_down") else answer

        return eventually(lambda: ended() or time.sleep(started["interval"]))

    def deliveries(self, user):
        """States of the messages to a user by `countersign deliveries`, newest first."""
        return json.loads(run(
            "countersign", "deliveries", "--data", self.server.data, "--tenant", "interop", "--user", user, "--json"))

    def shown(self, device):
        """The device as `countersign device show` prints it."""
        return run(
            "countersign", "device", "show", device, "--data", self.server.data, "--tenant", "interop", "--json")


class PushScenarios:
    """From the request to its end, for each service alike."""

    useless = ()
    """Answers of the service to a token that no device has."""
    useless_state = "undeliverable"
    """State of the message after them."""

    def token(self, name):
        """Another one for each user."""
        return name.encode().hex().ljust(64, "0")

    def test_a_request_is_answered_with_the_phones_key(self):
        phone = self.terminal("auth0|answered", self.token("answered"))
        started = self.start("auth0|answered")
        self.service.next()
        self.assertEqual(phone.answer("allow")["binding_message"], "Order 4711")
        self.assertIn("access_token", self.polled(started))
        self.assertEqual([entry["state"] for entry in self.deliveries("auth0|answered")
                          if entry["queue"] == self.queue][-1:], ["sent"])

    def test_a_service_that_is_down_gets_the_message_once_when_it_is_back(self):
        phone = self.terminal("auth0|down", self.token("down"))
        self.service.stop()
        try:
            started = self.start("auth0|down")
            self.push_elsewhere()
            eventually(lambda: self.deliveries("auth0|down")[0]["attempts"] >= 3)
            self.assertEqual(self.deliveries("auth0|down")[0]["state"], "waiting")
        finally:
            self.service.start()
        self.service.next()
        phone.answer("allow")
        self.assertIn("access_token", self.polled(started))
        self.assertTrue(self.service.messages.empty(), "once")
        self.assertEqual(self.service.problems, [])

    def push_elsewhere(self):
        """Sends by Web Push, and waits until it comes."""
        key = ec.generate_private_key(ec.SECP256R1())
        told = json.dumps(subscription(self.web_push, "1", key, b"sixteen bytes..."))
        self.enroll("auth0|elsewhere", told, service="WEBPUSH")
        self.start("auth0|elsewhere")
        self.web_push.messages.get(timeout=DEADLINE)

    def test_a_request_that_reaches_nobody_ends_at_once(self):
        self.enroll("auth0|alone", self.token("alone"))
        self.service.answers.extend(self.useless)
        started = self.start("auth0|alone")
        self.assertEqual(self.polled(started)["error"], "transaction_failed")
        [entry] = self.deliveries("auth0|alone")
        self.assertEqual((entry["queue"], entry["state"]), (self.queue, self.useless_state))
        self.assertTrue(self.service.messages.empty())

    def test_a_request_that_no_phone_gets_is_mailed(self):
        self.enroll("auth0|mailed", self.token("mailed"))
        self.service.answers.extend(self.useless)
        self.start("auth0|mailed", client="mailing-agent")
        _, mail = self.mail.next_to("mailed@example.com")
        self.assertIn("Order 4711", mail.get_body(("plain",)).get_content())
        eventually(lambda: {(entry["queue"], entry["state"]) for entry in self.deliveries("auth0|mailed")} == {
            (self.queue, self.useless_state), ("mail", "sent")})
