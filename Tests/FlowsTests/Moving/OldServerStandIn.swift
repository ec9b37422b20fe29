import AuthorizationCore
import Configuration
@testable import Flows
import HTTPModel
import Primitives
import Synchronization
import TestSupport
import Testing

/// The tenant's old server, which keeps the calls that it got.
final class OldServerStandIn: OutgoingHTTPClient {
    typealias Answer = @Sendable (JSONValue) async throws(HTTPClientError) -> ClientResponse

    static let secret = "the secret of the old server, 32 bytes"
    static let connection = LoginConnection.defaultDatabaseName

    let policy = OutgoingPolicy()
    let log = Mutex<[String]>([])
    private let state: Mutex<(calls: [ClientRequest], answer: Answer)>

    /// Knows Bob, whose password is `LoginFixture.password`.
    init() {
        state = Mutex(([], { Self.bob($0) }))
    }

    var calls: [ClientRequest] { state.withLock { $0.calls } }

    /// Bodies of the calls.
    var questions: [JSONValue] {
        get throws { try calls.map { try JSONReader.parse($0.body ?? []) } }
    }

    func answer(_ answer: @escaping Answer) { state.withLock { $0.answer = answer } }

    func answer(_ status: Int, _ body: JSONValue = [:]) { answer { _ in Self.response(status, body) } }

    func send(_ request: OutgoingRequest) async throws(HTTPClientError) -> ClientResponse {
        let answer = state.withLock { state in
            state.calls.append(request.request)
            return state.answer
        }
        guard let question = try? JSONReader.parse(request.request.body ?? []) else { throw .other("no JSON") }
        return try await answer(question)
    }

    static func response(_ status: Int, _ body: JSONValue) -> ClientResponse {
        ClientResponse(status: status, fields: [:], body: JSONWriter.bytes(body))
    }

    static let document: JSONObject = [
        "user_id": "4711", "email": "bob@example.org", "email_verified": true, "name": "Bob Brown",
        "given_name": "Bob", "user_metadata": ["color": "red"], "app_metadata": ["plan": "gold"],
    ]

    static func bob(_ question: JSONValue) -> ClientResponse {
        let fits = question["action"] == "get_user" || question["password"] == .string(LoginFixture.password)
        guard question["email"] == "bob@example.org" else { return response(404, [:]) }
        return fits ? response(200, .object(document)) : response(401, [:])
    }

    func servers() -> OldServers { OldServers(client: self) { [self] line in log.withLock { $0.append(line) } } }

    static func database(
        allowsSignUp: Bool = true, members: Set<OldServer.Member> = Set(OldServer.Member.allCases),
        sealedSecret: [UInt8]? = nil
    ) throws -> LoginConnection {
        let context = UpstreamProvider.sealingContext(tenant: Samples.tenant().id, connection: connection)
        let server = OldServer(
            endpoint: try #require(EndpointURL("https://old.example/users")),
            sealedSecret: try sealedSecret ?? Samples.sealer.seal(Array(secret.utf8), context: context),
            members: members)
        return LoginConnection(
            name: connection, displayName: "E-mail", kind: .database(allowsSignUp: allowsSignUp, oldServer: server))
    }

    /// A login at a tenant whose people come from this server.
    func fixture(
        tenant: Tenant = Samples.tenant(), roles: [Role] = [], connection: LoginConnection? = nil
    ) async throws -> LoginFixture {
        try await LoginFixture(
            tenant: tenant, roles: roles, connections: [try connection ?? Self.database()], oldServers: servers())
    }
}

extension LoginFixture {
    static let bob = UserID("auth0|4711")

    /// Tries to log in as Bob.
    func bob(
        _ visitor: Visitor = Visitor(), password: String = password, email: String = "bob@example.org"
    ) async throws -> AuthorizationAnswer {
        try await logIn(try await authorize(visitor).page.id, visitor, email: email, password: password)
    }

    /// Imports Bob, by default without a password.
    func keepBob(
        id: UserID = bob, password: String? = nil, _ change: @escaping @Sendable (inout User) -> Void = { _ in }
    ) async throws {
        let tenant = tenant.id
        try await fixture.configurationStore.change { transaction in
            var user = User(id: id, createdAt: Samples.start)
            user.email = "bob@example.org"
            change(&user)
            try transaction.put(user, passwordHash: password.map(PlainPasswords.encoded), in: tenant)
        }
    }

    func account(_ email: EmailAddress = "bob@example.org") async throws -> Account? {
        try await store.account(email: email, tenant: tenant.id)
    }
}
