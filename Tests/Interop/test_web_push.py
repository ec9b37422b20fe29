"""Web Push to a browser that nobody here wrote: http_ece decrypts the messages, and PyJWT verifies their sender."""

import base64
import http.server
import json
import queue
import ssl
import threading
import urllib.request

import http_ece
import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from mail_server import certificate
from programs import DEADLINE, InteropTest, Server


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def subscription(service, name, key, secret):
    """A browser's description of its subscription, as JSON (Push API 7)."""
    point = key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return {
        "endpoint": f"{service.origin}/push/{name}", "expirationTime": None,
        "keys": {"p256dh": encoded(point), "auth": encoded(secret)}}


class PushService:
    """A push service over TLS that keeps its messages."""

    def __init__(self, folder):
        self.messages = queue.SimpleQueue()
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                service.messages.put((self.path, dict(self.headers), body))
                self.send_response(201)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_arguments):
                pass

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate(folder, "push"))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.2", 0), Handler)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.origin = f"https://127.0.0.2:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    @classmethod
    def known_to_server(cls, test):
        """A server that trusts a push service, which is the test class's `service`."""
        def before(folder):
            test.service = cls(folder)
            test.addClassCleanup(test.service.stop)

        return Server(
            before,
            lambda folder: ["--trusted-authorities", folder / "push.pem", "--outgoing-networks", "127.0.0.0/8"])


class WebPushTest(InteropTest):
    @classmethod
    def started(cls):
        return PushService.known_to_server(cls)

    def post(self, path, body, **fields):
        request = urllib.request.Request(
            self.issuer + path, json.dumps(body).encode(), {"Content-Type": "application/json", **fields})
        with urllib.request.urlopen(request, timeout=DEADLINE) as answer:
            return json.load(answer)

    def test_a_notification_is_decrypted_and_its_sender_known(self):
        key, secret = ec.generate_private_key(ec.SECP256R1()), b"sixteen bytes..."
        told = json.dumps(subscription(self.service, "1", key, secret))
        device = ec.generate_private_key(ec.SECP256R1()).public_key().public_numbers()
        uri = self.server.ticket("auth0|without-phone", "interop")
        ticket = dict(part.split("=", 1) for part in uri.split("?", 1)[1].split("&"))["enrollment_tx_id"]
        enrolled = self.post(
            "appliance-mfa/api/enroll", {
                "identifier": "browser", "name": "Browser",
                "public_key": {
                    "kty": "EC", "crv": "P-256", "alg": "ES256", "x": encoded(device.x.to_bytes(32, "big")),
                    "y": encoded(device.y.to_bytes(32, "big"))},
                "push_credentials": {"service": "WEBPUSH", "token": told},
            }, Authorization=f'Ticket id="{ticket}"')
        started = self.post("bc-authorize", {
            "client_id": self.client_id, "client_secret": self.client_secret, "scope": "openid",
            "binding_message": "Order 4711", "login_hint": self.hint("auth0|without-phone")})
        self.assertIn("auth_req_id", started)

        path, fields, body = self.service.messages.get(timeout=DEADLINE)
        self.assertEqual(path, "/push/1")
        self.assertEqual(fields["Content-Encoding"], "aes128gcm")
        self.assertEqual(fields["Urgency"], "high")
        self.assertTrue(0 < int(fields["TTL"]) <= 300)
        message = json.loads(http_ece.decrypt(body, private_key=key, auth_secret=secret, version="aes128gcm"))
        self.assertEqual(message, {
            "v": 1, "kind": "notification", "dai": enrolled["id"], "txlnkid": fields["Topic"]})

        scheme, parameters = fields["Authorization"].split(" ", 1)
        self.assertEqual(scheme, "vapid")
        values = dict(part.strip().split("=", 1) for part in parameters.split(","))
        sender = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decoded(values["k"]))
        claims = jwt.decode(values["t"], sender, algorithms=["ES256"], audience=self.service.origin)
        self.assertEqual(claims["sub"], self.issuer)
        self.assertEqual(set(claims), {"aud", "exp", "sub"})
