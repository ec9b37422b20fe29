import Administration
import AuthorizationCore
import HTTPModel
import OAuthWire
import Primitives
import TestSupport

/// An operator's client with a token for the Management API of the tenant `dev`.
struct ManagementFixture {
    let server: InProcessServer
    let token: String

    static let audience = "https://\(InProcessServer.host)/api/v2/"

    /// Nil `scopes` requests all scopes.
    init(
        scopes: [String]? = nil, _ change: (inout InProcessServer.Setup) throws -> Void = { _ in }
    ) async throws {
        server = try await InProcessServer { setup in
            setup.clients.append(Self.operatorsProgram)
            try change(&setup)
        }
        token = try await Self.token(scopes: scopes, of: server)
    }

    private init(server: InProcessServer, token: String) {
        self.server = server
        self.token = token
    }

    /// Paths of the OpenAPI document, which is the same for every fixture. To read it takes a debug build half a second.
    static var paths: JSONObject {
        get async throws { try await read.value }
    }

    private static let read = Task {
        let document = await (try await ManagementFixture()).server.send(.get("/openapi.json")).json
        return try (document["paths"]?.objectValue).orThrow("no paths")
    }

    static var operatorsProgram: Client {
        Samples.client("operator") {
            $0.grantTypes = [.clientCredentials]
            $0.limit(to: [audience: nil])
        }
    }

    private static func token(scopes: [String]?, of server: InProcessServer) async throws -> String {
        let answer = await server.send(
            .form(
                "/oauth/token",
                [
                    "grant_type": "client_credentials", "client_id": "operator", "client_secret": Samples.secret,
                    "audience": audience, "scope": scopes.map { $0.joined(separator: " ") },
                ]))
        return try (answer["access_token"]?.stringValue).orThrow("no token: \(answer.text)")
    }

    /// The same server with another token.
    func with(scopes: [String]) async throws -> ManagementFixture {
        ManagementFixture(server: server, token: try await Self.token(scopes: scopes, of: server))
    }

    /// `path` is below `/api/v2`.
    @discardableResult
    func send(
        _ method: HTTPMethod, _ path: String, _ body: JSONValue? = nil, host: String = InProcessServer.host,
        authorization: String? = nil, fields: HTTPFields = [:]
    ) async -> HTTPAnswer {
        await send(
            method, path, text: body.map { JSONWriter.string($0) }, host: host, authorization: authorization,
            fields: fields)
    }

    /// Sends a body that need not be JSON.
    @discardableResult
    func send(
        _ method: HTTPMethod, _ path: String, text body: String?, host: String = InProcessServer.host,
        authorization: String? = nil, fields further: HTTPFields = [:]
    ) async -> HTTPAnswer {
        let parts = path.split(separator: "?", maxSplits: 1)
        var fields: HTTPFields = ["Host": host, "Authorization": authorization ?? "Bearer \(token)"]
        for field in further { fields.append(field.name, field.value) }
        if body != nil { fields.append("Content-Type", "application/json") }
        return await server.send(
            Request(
                method: method, path: "/api/v2" + parts[0], query: parts.count > 1 ? String(parts[1]) : nil,
                fields: fields, body: Array((body ?? "").utf8)))
    }

    func get(_ path: String) async -> HTTPAnswer { await send(.get, path) }
    func post(_ path: String, _ body: JSONValue) async -> HTTPAnswer { await send(.post, path, body) }
    func patch(_ path: String, _ body: JSONValue) async -> HTTPAnswer { await send(.patch, path, body) }
    func put(_ path: String, _ body: JSONValue) async -> HTTPAnswer { await send(.put, path, body) }
    func delete(_ path: String, _ body: JSONValue? = nil) async -> HTTPAnswer { await send(.delete, path, body) }
}
