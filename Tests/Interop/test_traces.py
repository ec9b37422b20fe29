"""OpenTelemetry's traces, read by the messages of OpenTelemetry's own package."""

import base64
import http.server
import json
import threading
import urllib.parse
import urllib.request

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from programs import AUDIENCE, DEADLINE, InteropTest, Server, eventually

TRACE, CALLER = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
IDS = ("traceId", "spanId", "parentSpanId")


def decoded(body):
    """The message of a request in OTLP's JSON, which has ids in hexadecimal where Protobuf's has Base64."""

    def ids(pairs):
        return {name: base64.b64encode(bytes.fromhex(value)).decode() if name in IDS else value
                for name, value in pairs}

    # Refuses unknown members, wrong types and numbers out of range.
    return json_format.ParseDict(json.loads(body, object_pairs_hook=ids), ExportTraceServiceRequest())


class Collector:
    """Takes OTLP over HTTP. The first request is answered 503, as by a collector that starts."""

    def __init__(self):
        self.messages, self.refused = [], 0
        collector = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                good = self.path == "/v1/traces" and self.headers["Content-Type"] == "application/json"
                status = 200 if good and collector.refused else 503 if good else 400
                if status == 200:
                    collector.messages.append(decoded(body))
                else:
                    collector.refused += 1
                self.send_response(status)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    def resources(self):
        return [group.resource for message in self.messages for group in message.resource_spans]

    def spans(self):
        return [span for message in self.messages for group in message.resource_spans
                for scope in group.scope_spans for span in scope.spans]


def values(attributes):
    return {one.key: one.value.string_value or one.value.int_value for one in attributes}


class TracesTest(InteropTest):
    USERS = ("auth0|traced",)

    @classmethod
    def started(cls):
        cls.collector = Collector()
        cls.addClassCleanup(cls.collector.stop)
        return Server(options=lambda folder: ["--trace-endpoint", cls.collector.url, "--trace-ratio", "0"])

    def start(self, flags):
        form = urllib.parse.urlencode({
            "client_id": self.client_id, "client_secret": self.client_secret, "scope": "openid",
            "audience": AUDIENCE, "binding_message": "Traced", "login_hint": self.hint("auth0|traced")})
        request = urllib.request.Request(
            f"{self.issuer}bc-authorize", form.encode(), {"traceparent": f"00-{TRACE}-{CALLER}-{flags}"})
        with urllib.request.urlopen(request, timeout=DEADLINE) as answer:
            self.assertEqual(answer.status, 200)

    def test_spans_of_a_start_and_its_delivery_go_on_with_the_callers_trace(self):
        self.start("00")
        self.start("01")
        spans = eventually(
            lambda: {span.name: span for span in self.collector.spans()
                     if any(one.name == "deliver notifications" for one in self.collector.spans())})
        start, change, delivery = spans["POST /bc-authorize"], spans["store change"], spans["deliver notifications"]
        self.assertEqual({span.trace_id.hex() for span in self.collector.spans()}, {TRACE})
        self.assertEqual(start.parent_span_id.hex(), CALLER)
        self.assertEqual(start.kind, Span.SPAN_KIND_SERVER)
        self.assertEqual(start.status.code, Status.STATUS_CODE_UNSET)
        self.assertLess(start.start_time_unix_nano, start.end_time_unix_nano)
        self.assertEqual(change.kind, Span.SPAN_KIND_CLIENT)
        self.assertEqual(delivery.kind, Span.SPAN_KIND_PRODUCER)
        self.assertEqual({change.parent_span_id, delivery.parent_span_id}, {start.span_id})
        attributes = values(start.attributes)
        self.assertEqual(attributes["http.route"], "/bc-authorize")
        self.assertEqual(attributes["http.response.status_code"], 200)
        self.assertEqual(attributes["countersign.tenant"], "interop")
        self.assertEqual(values(change.attributes)["db.system.name"], "sqlite")
        resource = values(self.collector.resources()[0].attributes)
        self.assertEqual(resource["service.name"], "countersign")
        self.assertEqual(set(resource), {"service.name", "service.version", "service.instance.id"})
        # The caller that recorded nothing has no span, and the collector that was not ready got these again.
        self.assertEqual(sum(span.name == "POST /bc-authorize" for span in self.collector.spans()), 1)
        self.assertEqual(self.collector.refused, 1)
