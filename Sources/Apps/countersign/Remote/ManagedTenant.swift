import AuthorizationCore
import Configuration
import CountersignServer
import HTTPModel
import ManagementAPI
import OAuthWire
import Primitives
import Terminal

/// The tenant that a command works on, in a data folder or at a server. Both answer the same requests with the same
/// documents, so a command does not know where it is.
struct ManagedTenant: Sendable {
    /// Maximum number of objects in one answer.
    private static let part = 100

    /// The id of a tenant in a data folder, or the host of one at a server.
    let name: String
    /// Nil from afar. Only for what the API does not have.
    let home: (installation: Installation, tenant: Tenant)?
    /// Nil at home. Only for what a server has besides the API.
    let client: ManagementClient?
    private let answering: @Sendable (OperationRequest) async throws -> JSONValue

    init(_ installation: Installation, _ invocation: Invocation) async throws {
        let tenant = try await installation.tenant(invocation)
        let management = installation.management(of: tenant.id, by: .commandLine(invocation))
        name = tenant.id.rawValue
        home = (installation, tenant)
        client = nil
        answering = { request in
            do { return try await management.answer(request) } catch let refusal as ManagementRefusal {
                throw CommandFailure(refusal.message)
            }
        }
    }

    init(_ client: ManagementClient) {
        name = client.host
        home = nil
        self.client = client
        answering = { try await client.answer($0) }
    }

    func answer(_ request: OperationRequest) async throws -> JSONValue { try await answering(request) }

    @discardableResult
    func send(
        _ method: HTTPMethod, _ path: String, _ values: [String] = [], query: KeyValuePairs<String, String> = [:],
        _ body: JSONObject? = nil
    ) async throws -> JSONObject {
        let value = try await answer(
            OperationRequest(
                method, path, values, query: query.map { .init($0.key, $0.value) }, body: body.map { .object($0) }))
        var object = value.objectValue ?? [:]
        // The command warns of members of the document by itself, also at home.
        object["warnings"] = nil
        return object
    }

    @discardableResult
    func send(_ method: HTTPMethod, _ path: String, _ body: JSONObject) async throws -> JSONObject {
        try await send(method, path, [], body)
    }

    func get(_ path: String, _ values: String..., query: KeyValuePairs<String, String> = [:]) async throws -> JSONObject
    {
        try await send(.get, path, values, query: query)
    }

    /// A list that the API gives as a whole.
    func all(_ path: String, _ values: String..., query: KeyValuePairs<String, String> = [:]) async throws
        -> [JSONObject]
    {
        let value = try await answer(
            OperationRequest(.get, path, values, query: query.map { .init($0.key, $0.value) }))
        return (value.arrayValue ?? []).compactMap(\.objectValue)
    }

    /// The first `limit` objects of a list with pages, in its own order.
    func pages(
        _ path: String, _ values: String..., key: String, query: KeyValuePairs<String, String> = [:], limit: Int = .max
    ) async throws -> ObjectCommands.Listing {
        var found: [JSONObject] = []
        var page = 0
        while true {
            let given = query.map { ManagementRequest.Pair($0.key, $0.value) }
            let paging: [ManagementRequest.Pair] = [
                .init("page", String(page)), .init("per_page", String(Self.part)), .init("include_totals", "true"),
            ]
            let part = try await answer(OperationRequest(.get, path, values, query: given + paging))
            let objects = (part[key]?.arrayValue ?? []).compactMap(\.objectValue)
            found += objects
            let total = part["total"]?.intValue ?? found.count
            guard found.count < min(total, limit), !objects.isEmpty else {
                return ObjectCommands.Listing(Array(found.prefix(limit)), total: max(total, found.count))
            }
            page += 1
        }
    }

    /// The first `limit` objects of a list, read in parts of which each follows the last object of the one before, so that
    /// concurrent changes skip nothing. Nil as `total` means that all are there.
    func parts(
        _ path: String, _ values: String..., key: String, query: KeyValuePairs<String, String> = [:], limit: Int
    ) async throws -> (objects: [JSONObject], isComplete: Bool) {
        var found: [JSONObject] = []
        var next: String?
        repeat {
            var pairs = query.map { ManagementRequest.Pair($0.key, $0.value) }
            pairs.append(.init("take", String(min(Self.part, limit - found.count))))
            if let next { pairs.append(.init("from", next)) }
            let part = try await answer(OperationRequest(.get, path, values, query: pairs))
            found += (part[key]?.arrayValue ?? []).compactMap(\.objectValue)
            next = part["next"]?.stringValue
        } while next != nil && found.count < limit
        return (found, next == nil)
    }

    /// Calls `work` with each object of a list, in the parts of `parts`, however long it takes.
    func each(
        _ path: String, key: String, query: KeyValuePairs<String, String>, _ work: (JSONObject) async throws -> Void
    ) async throws {
        let given = query.map { ManagementRequest.Pair($0.key, $0.value) } + [.init("take", String(Self.part))]
        var next: String?
        repeat {
            let pairs = given + (next.map { [.init("from", $0)] } ?? [])
            let part = try await answer(OperationRequest(.get, path, query: pairs))
            for object in (part[key]?.arrayValue ?? []).compactMap(\.objectValue) { try await work(object) }
            next = part["next"]?.stringValue
        } while next != nil
    }

    /// Number of objects in a list.
    func count(
        _ path: String, _ values: String..., query: KeyValuePairs<String, String> = [:]
    ) async throws -> Int? {
        let pairs = query.map { ManagementRequest.Pair($0.key, $0.value) }
        let answer = try await answer(
            OperationRequest(
                .get, path, values, query: pairs + [.init("per_page", "0"), .init("include_totals", "true")]))
        return answer["total"]?.intValue
    }
}

// MARK: users

extension ManagedTenant {
    /// The document of a user by id, verified e-mail address or verified phone number.
    func user(_ name: String) async throws -> JSONObject {
        do { return try await get("/users/{id}", try await userID(name)) } catch AdministrationFailure.unknown(.user) {
            throw lacks(name)
        }
    }

    /// The user's id. If `name` is an id, the user need not exist.
    ///
    /// Unverified addresses and numbers identify nobody, since anybody can sign up with another person's. The failure
    /// lists the ids of users with that address or number.
    func userID(_ name: String) async throws -> String {
        let (found, member, kind): ([JSONObject], String, String)
        switch LoginHint(user: name, issuer: "") {
        case .issuerSubject, .opaque: return name
        case .email(let text):
            guard let address = EmailAddress(parsing: text) else { throw lacks(name) }
            found = try await all("/users-by-email", query: ["email": address.description])
            (member, kind) = ("email_verified", "e-mail address")
        case .phoneNumber(let number):
            found = try await parts(
                "/users", key: "users", query: ["q": "phone_number:\"\(number)\""], limit: 1000
            ).objects
            (member, kind) = ("phone_verified", "phone number")
        }
        guard !found.isEmpty else { throw lacks(name) }
        let verified = found.filter { $0[member] == true }.compactMap { $0["user_id"]?.stringValue }
        guard verified.count == 1 else {
            let ids = found.compactMap { $0["user_id"]?.stringValue }.joined(separator: ", ")
            throw CommandFailure(
                verified.isEmpty
                    ? "no user of the tenant \(self.name) has verified the \(kind) \(name)"
                    : "several users of the tenant \(self.name) have the \(kind) \(name)",
                hint: "name the user by id: \(ids)")
        }
        return verified[0]
    }

    func lacks(_ user: String) -> CommandFailure {
        CommandFailure(
            "the tenant \(name) has no user \(user)",
            hint: "name the user by id, such as 'auth0|65f0' in quotes, or by verified e-mail address or phone number")
    }
}

extension Command {
    /// A command on one tenant, in the data folder or at the server that `--server` names. Help shows `groups` first.
    static func onTenant(
        _ name: String, _ summary: String, discussion: String = "", groups: [OptionGroup] = [],
        options: [any DeclaredOption], examples: Command.Examples, reading: Bool = false,
        _ work: @escaping @Sendable (ManagedTenant, Invocation) async throws -> Void
    ) -> Command {
        Command(
            name, summary, discussion: discussion,
            options: groups + [
                OptionGroup("Options", options + [Installation.tenantOption]), ServerChoices.installationOptions,
                ServerOptions.group,
            ], examples: examples
        ) { invocation in
            if let server = try ServerOptions.chosen(invocation) {
                return try await refusing {
                    try await work(try ManagedTenant(server: server, invocation), invocation)
                    return 0
                }
            }
            return try await withInstallation(invocation, reading: reading) { installation in
                try await work(try await ManagedTenant(installation, invocation), invocation)
                return 0
            }
        }
    }
}

extension ManagedTenant {
    /// The tenant at a server.
    init(server: String, _ invocation: Invocation) throws {
        let connection = try ClientConnection(server: server, invocation)
        self.init(try ManagementClient(connection, server: server, output: invocation.output))
    }
}
