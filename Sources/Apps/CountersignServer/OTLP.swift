import Primitives
import Tracing

/// OpenTelemetry's protocol in its JSON form: Protobuf's mapping with ids in hexadecimal, 64-bit numbers as texts and enums as
/// numbers (OTLP, "JSON Protobuf Encoding").
enum OTLP {
    /// This process.
    struct Resource {
        let version: String
        let instance: String

        fileprivate var attributes: [(name: String, value: Span.Value)] {
            [
                ("service.name", .text("countersign")), ("service.version", .text(version)),
                ("service.instance.id", .text(instance)),
            ]
        }
    }

    /// An `ExportTraceServiceRequest`.
    static func request(_ spans: [Span], of resource: Resource) -> [UInt8] {
        JSONWriter.object(capacity: 512 * spans.count) { request in
            request.name("resourceSpans")
            request.array { all in
                all.object { group in
                    group.member("resource") { attributes(resource.attributes, &$0) }
                    group.name("scopeSpans")
                    group.array { scopes in
                        scopes.object { scope in
                            scope.member("scope") { $0.member("name", "countersign") }
                            scope.name("spans")
                            scope.array { list in for span in spans { list.object { write(span, &$0) } } }
                        }
                    }
                }
            }
        }
    }

    private static func write(_ span: Span, _ writer: inout JSONWriter) {
        writer.member("traceId", span.context.trace.description)
        writer.member("spanId", span.context.span.description)
        writer.member("parentSpanId", ifPresent: span.parent?.description)
        // W3C's flags in the low byte.
        writer.member("flags", 1)
        writer.member("name", span.name)
        writer.member("kind", span.kind.rawValue)
        writer.member("startTimeUnixNano", String(span.beganAt))
        writer.member("endTimeUnixNano", String(span.endedAt))
        attributes(span.attributes, &writer)
        // STATUS_CODE_ERROR. Without an error the status is left unset.
        if span.hasFailed { writer.member("status") { $0.member("code", 2) } }
    }

    private static func attributes(_ values: [(name: String, value: Span.Value)], _ writer: inout JSONWriter) {
        writer.name("attributes")
        writer.array { list in
            for (name, value) in values {
                list.object { attribute in
                    attribute.member("key", name)
                    attribute.member("value") { writer in
                        switch value {
                        case .text(let text): writer.member("stringValue", text)
                        case .number(let number): writer.member("intValue", String(number))
                        }
                    }
                }
            }
        }
    }

    /// Spans that an `ExportTraceServiceResponse` says were not taken. A number may be a text.
    static func rejectedSpans(_ body: [UInt8]) -> Int {
        guard let rejected = (try? JSONReader.parse(body))?["partialSuccess"]?["rejectedSpans"] else { return 0 }
        return max(0, rejected.intValue ?? rejected.stringValue.flatMap { Int($0) } ?? 0)
    }
}
