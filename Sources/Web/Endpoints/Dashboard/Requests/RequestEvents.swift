import AuthorizationCore
import Flows
import GuardianWire
import HTTPModel
import ManagementAPI
import OAuthWire
import Pages
import Primitives
import Routing

/// Streams that say when a page of requests should load anew. The pages are complete without them.
struct RequestEvents: Sendable {
    /// Pause between two looks at the store.
    static let pace = Duration.seconds(2)
    /// Looks after which a stream ends. The browser connects again, and is admitted anew.
    static let looks = 150
    /// Looks between two comments, which keep proxies from closing a silent connection.
    static let keepAlive = 10
    /// Milliseconds that a browser waits before it reconnects.
    private static let retry = 2000

    private static let path = "\(DashboardPath.root)/\(DashboardPath.Section.requests.rawValue)/events"
    private static let id = "id"

    let pages: HostedPages
    let management: ManagementAPI
    let timer: any Timer
    /// The request as it would be now: later, and under the configuration of that time. Nil once its tenant is gone.
    let later: @Sendable (RequestContext) -> RequestContext?
    let open = PersonalStreams()

    var routes: [Route] {
        [
            Route(
                path: Self.path, .oauth, answersHead: false,
                [
                    .get: (
                        .requestEvents,
                        pages.page(stream)
                    )
                ])
        ]
    }

    /// Events of one request, or of all.
    static func url(_ id: String?) -> PageURL {
        PageURL(encodedPath: path, query: id.map { [(name: Self.id, value: $0)] } ?? [])
    }

    @Sendable private func stream(_ request: PageRequest) async throws -> Response {
        guard let user = try await admitted(request, request.context) else {
            // The browser does not come back after that (HTML Living Standard, clause 9.2.3).
            return Response(status: 204, fields: ["Cache-Control": "no-store"])
        }
        let consent = request.parameters[Self.id].map { ConsentID($0) }
        let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self, bufferingPolicy: .bufferingOldest(16))
        let number = open.begin(user, continuation)
        let work = Task { [timer, later, open] in
            // Also after a failure: the browser then connects again.
            defer {
                open.end(number, user)
                continuation.finish()
            }
            continuation.yield(ServerSentEvent.retry(milliseconds: Self.retry))
            var known = request.http.fields["Last-Event-ID"]
            for number in 1...Self.looks {
                // The server stops, or the session, the role or the person is gone.
                guard !hub.isReleased, let context = later(request.context),
                    try await admitted(request, context) == user
                else { break }
                let mark = try await mark(of: consent, context)
                if mark != known {
                    known = mark
                    let event = ServerSentEvent(id: mark, type: "change", data: "")
                    guard case .enqueued = continuation.yield(event.bytes) else { break }
                } else if number.isMultiple(of: Self.keepAlive) {
                    guard case .enqueued = continuation.yield(ServerSentEvent.keepAlive) else { break }
                }
                try await timer.sleep(Self.pace)
            }
        }
        continuation.onTermination = { _ in work.cancel() }
        return Response(
            status: 200,
            fields: ["Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no"],
            body: .stream(stream))
    }

    private var hub: DecisionHub { pages.hosted.flows.hub }

    /// The person, if their session and their scopes are enough.
    private func admitted(_ request: PageRequest, _ context: RequestContext) async throws -> UserID? {
        let visitor = try await pages.hosted.flows.pages.login.visitor(
            at: .dashboard(DashboardPath(.requests), isForChange: false), uiLocales: nil, browser: request.browser,
            context: context)
        guard let visitor, management.personal(visitor.user, request.call.at(context)).allows("list_approvals") else {
            return nil
        }
        return visitor.user.id
    }

    private func mark(of consent: ConsentID?, _ context: RequestContext) async throws -> String {
        let flows = pages.hosted.flows
        let lines = try await flows.backchannel.requests.mark(of: consent, in: context.tenant.id)
        return Base64URL.encode(flows.hashing.sha256(Array(lines.joined(separator: "\n").utf8)))
    }
}
