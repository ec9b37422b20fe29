import APIDescription
import AuthorizationCore
import Endpoints
import Flows
import HTTPModel
import OAuthWire
import Primitives
import TestSupport
import Testing

@testable import Routing

@Suite("Routing and the checks of every request")
struct RouterTests {
    private static func route(
        _ path: String, _ methods: [HTTPMethod] = [.get], _ style: ErrorStyle = .oauth, name: String? = nil
    ) -> Route {
        let operation = Operation("operation", "Do it", tag: "Tests", answers: [])
        let handle: Route.Handle = { _ in Response(status: 204) }
        var handlers: [HTTPMethod: (operation: Operation, handle: Route.Handle)] = [:]
        for method in methods { handlers[method] = (operation, handle) }
        return Route(path: path, name: name, style, handlers)
    }

    private static let router = Router(
        [
            route("/token", [.post]), route("/files/{name}"), route("/apps/{id}/callback"),
            route("/api/items/{id}", [.get, .delete], .management, name: "/api"),
            route("/api/items/search", [.post], .management, name: "/api"),
            route("/api/users/{id}/links/{other}", [.get], .management, name: "/api"),
        ], areas: [Router.Area("/api/", .management, name: "/api", isForgiving: true)])

    /// The route's path with its parameter values, or `allowed: …` for other methods. Nil means no route.
    private func found(_ path: String, _ method: HTTPMethod = .get) -> String? {
        switch Self.router.find(path, method) {
        case .route(let route, let values): ([route.path] + values).joined(separator: " ")
        case .otherMethods(let routes): "allowed: " + routes.flatMap(\.allowed).sorted().joined(separator: " ")
        case .nothing: nil
        }
    }

    @Test("A parameter is one whole segment, percent-decoded and not empty")
    func parameters() {
        #expect(found("/files/a%20b") == "/files/{name} a b")
        #expect(found("/apps/a%2Fb/callback") == "/apps/{id}/callback a/b")
        for path in ["/files/", "/files", "/files/a/b", "/files/%zz", "/apps//callback", "/apps/a", "files/a", "", "/"]
        {
            #expect(found(path) == nil, "\(path)")
        }
        #expect(found("/f%69les/a") == nil, "a literal segment is spelt as it is")
    }

    @Test("A literal segment precedes a parameter, whose route serves the remaining methods")
    func precedence() {
        #expect(found("/api/items/search", .post) == "/api/items/search")
        #expect(found("/api/items/search", .get) == "/api/items/{id} search")
        #expect(found("/api/items/search", .put) == "allowed: DELETE GET POST")
        #expect(found("/api/users/u/links/v") == "/api/users/{id}/links/{other} u v")
    }

    @Test("RFC 9110 9.3.2: HEAD is answered as GET, and 405 lists the allowed methods")
    func methods() {
        #expect(found("/files/a", .head) == "/files/{name} a")
        #expect(found("/token", .get) == "allowed: POST")
        #expect(found("/files/a", .post) == "allowed: GET HEAD")
    }

    @Test("A path of slashes takes no stack, however long")
    func slashes() {
        let slashes = String(repeating: "/", count: 262_144)
        #expect(found("/api" + slashes + "items/7") == "/api/items/{id} 7")
        #expect(found("/api/items/7" + slashes) == "/api/items/{id} 7")
        #expect(found("/api" + slashes) == nil)
    }

    @Test("Only forgiving areas accept empty segments and escaped literals")
    func forgiving() {
        for path in ["/api//items/7", "/api/items/7/", "/api/it%65ms/7"] {
            #expect(found(path) == "/api/items/{id} 7", "\(path)")
        }
        for path in ["/token/", "//token", "/t%6Fken"] { #expect(found(path, .post) == nil, "\(path)") }
    }

    @Test("Metrics use a bounded set of path names")
    func names() {
        #expect(Self.router.name(of: "/files/a") == "/files/{id}")
        #expect(Self.router.name(of: "/api/items/7") == "/api")
        #expect(Self.router.name(of: "/api/nothing") == "/api")
        #expect(Self.router.name(of: "/nothing") == nil)
    }

    /// One path per error style. All are refused without further parameters.
    private static let everywhere = [
        EndpointPath.token.rawValue, EndpointPath.userInfo.rawValue, "/appliance-mfa/api/enroll", "/api/v2/roles",
        HostedPath.logIn.rawValue, "/nothing",
    ]

    @Test("Every path refuses repeated fields, encoded bodies and unknown hosts", arguments: everywhere)
    func gate(path: String) async throws {
        let server = try await InProcessServer()
        func status(_ change: (inout Request) -> Void) async -> Int {
            var request = Request.get(path)
            change(&request)
            return await server.send(request).status
        }
        #expect(
            await status {
                $0.fields.append("Authorization", "Bearer a"); $0.fields.append("Authorization", "b")
            } == 400)
        #expect(await status { $0.fields.append("Content-Encoding", "gzip") } == 400)
        #expect(await status { $0.fields.set("Host", "nobody.example") } == 404)
    }

    @Test(
        "Probes answer under every host name, and only to GET and HEAD", arguments: [EndpointPath.health, .readiness])
    func probes(path: EndpointPath) async throws {
        let server = try await InProcessServer()
        var request = Request.get(path.rawValue)
        request.fields.set("Host", "192.0.2.1:8443")
        #expect(await server.send(request).status == 200)
        request.method = .post
        let refused = await server.send(request)
        #expect(refused.status == 405)
        #expect(refused.fields["Allow"] == "GET, HEAD")
    }

    @Test("RFC 6749 5.2: what the listener refuses has the form of its path's errors")
    func listenerRefusals() async throws {
        let server = try await InProcessServer()
        func answer(_ status: Int, _ path: String) async -> HTTPAnswer {
            await HTTPAnswer(
                server.application.response(to: HTTPRefusal(status: status, description: "No"), of: .get(path)))
        }
        for path in [EndpointPath.token.rawValue, "/nothing", ""] {
            for (status, code) in [
                (400, "invalid_request"), (413, "invalid_request"), (500, "server_error"),
                (503, "temporarily_unavailable"), (505, "invalid_request"),
            ] {
                let refused = await answer(status, path)
                #expect(refused.status == status)
                #expect(refused.text == #"{"error":"\#(code)","error_description":"No"}"#)
                #expect(refused.fields["Content-Type"] == "application/json")
                #expect(refused.fields["Retry-After"] == (status == 503 ? "1" : nil))
            }
        }
        for path in ["/api/v2/roles", "/appliance-mfa/api/enroll"] {
            let refused = await answer(413, path)
            #expect(refused.status == 413)
            #expect(refused["statusCode"] == 413)
            #expect(refused["message"] == "No")
            #expect(refused["errorCode"] == "invalid_body")
            #expect(await answer(503, path).fields["Retry-After"] == "1")
        }
    }

    /// Pages that answer everything with 500.
    private struct BrokenPages: FailurePages {
        func response(for failure: any ResponseError) -> Response { Response(status: 500) }
    }

    @Test("Every 500 is in the log, also one for an error without a detail")
    func silentFailure() {
        let log = CapturedLog()
        let errors = ErrorRenderer { id, detail, status in log.write("\(id) \(status) \(detail)") }
        var request = Request.get("/u/login")
        request.id = "7"
        let failure = DeviceFailure(.invalidBody, "No")
        _ = errors.response(for: failure, to: request, in: .device(scheme: "Bearer"))
        #expect(log.lines.isEmpty)
        #expect(errors.response(for: failure, to: request, in: .page(BrokenPages())).status == 500)
        #expect(log.lines.count == 1)
        #expect(log.lines.first?.hasPrefix("7 500 DeviceFailure(") == true)
    }

    @Test("Each device failure has its HTTP status", arguments: DeviceFailure.Reason.allCases)
    func deviceStatuses(reason: DeviceFailure.Reason) {
        let response = DeviceFailure(reason, "No").response(in: .device(scheme: "Ticket"), to: .get("/"))
        let expected: [DeviceFailure.Reason: Int] = [
            .invalidBody: 400, .invalidToken: 401, .invalidChallenge: 401, .invalidProof: 403, .userBlocked: 403,
            .ticketNotFound: 404, .enrollmentNotFound: 404, .transactionNotFound: 404, .transactionExpired: 404,
            .consentNotFound: 404, .identifierTaken: 409, .wrongNumber: 403, .numberRequired: 403,
            .passkeyRequired: 403, .invalidPasskey: 403, .passkeyRegistered: 409, .tooManyCodes: 429,
            .additionNotAllowed: 403, .tooManyDevices: 409,
        ]
        #expect(response.status == expected[reason])
        #expect(response.fields["WWW-Authenticate"] == (response.status == 401 ? "Ticket" : nil))
    }
}
