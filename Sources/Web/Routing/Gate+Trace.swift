import AuthorizationCore
import HTTPModel
import Primitives
import Tracing

extension TraceContext {
    /// Trace of the caller. Nil without a valid field, and if it is repeated.
    init?(of request: Request) {
        guard let field = request.fields["traceparent"], !request.fields.isRepeated("traceparent") else { return nil }
        self.init(traceparent: field)
    }
}

extension Tracer {
    /// Span of a request (OpenTelemetry's conventions for HTTP servers).
    func begin(_ request: Request, at route: Route?) -> Span {
        let method = Self.methods.contains(request.method) ? request.method.rawValue : "_OTHER"
        var span = begin(
            route.map { "\(method) \($0.path)" } ?? method, .server, below: TraceContext(of: request))
        guard span.context.isSampled else { return span }
        span.note("http.request.method", method)
        if let route { span.note("http.route", route.path) }
        span.note("url.scheme", request.isSecure ? "https" : "http")
        span.note("countersign.request_id", request.id)
        return span
    }

    func end(_ span: Span, with response: Response, of tenant: TenantID?) {
        guard span.context.isSampled else { return }
        var span = span
        span.note("http.response.status_code", response.status)
        if let tenant { span.note("countersign.tenant", tenant.rawValue) }
        if response.status >= 500 {
            span.hasFailed = true
            span.note("error.type", String(response.status))
        }
        end(span)
    }

    private static let methods: Set<HTTPMethod> = [.get, .head, .post, .put, .patch, .delete, .options]
}
