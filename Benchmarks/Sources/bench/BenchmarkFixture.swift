import Workbench
import Audit
import AuthorizationCore
import CountersignServer
import Flows
import GuardianWire
import HTTPModel
import JOSE
import OpenSSLCrypto
import Primitives

/// Participants, applied to the server and enrolled once.
struct BenchmarkFixture {
    /// Users per slot, whose flows take turns, so that no user gets hundreds of requests per second.
    static let phonesPerSlot = 8

    let agent: Agent
    let signingAgent: SigningAgent
    let phones: [Phone]
    /// One user for each chain of waiting clients.
    let waitPhones: [Phone]
    /// Users whose phones are switched off: their requests stay pending.
    let sleepers: [String]
    /// Users who log in with a browser and have no phone.
    let visitors: [String]

    static func agent(host: String) -> Agent {
        Agent(host: host, clientID: Tenancy.clientID, secret: Tenancy.secret, audience: Tenancy.audience)
    }

    init(
        server: ServerUnderTest, folder: String, parts: Set<Options.Part>, flows: Int
    ) async throws {
        let flowing = parts.contains(.flows) ? flows * Self.phonesPerSlot : 0
        let waiting = parts.contains(.wait) ? 50 : 0
        let sleeping =
            parts.isDisjoint(with: [.assertions, .start, .polls, .memory, .restart, .scale, .overload])
            ? 0 : 20_000
        let visiting = parts.isDisjoint(with: Options.Part.logins) ? 0 : 2000
        let flowUsers = (0..<flowing).map { Tenancy.user("flow", $0) }
        let waitUsers = (0..<waiting).map { Tenancy.user("wait", $0) }
        visitors = (0..<visiting).map { Tenancy.user("visit", $0) }
        sleepers = (0..<sleeping).map { Tenancy.user("sleep", $0) }
        agent = Self.agent(host: server.host)
        signingAgent = SigningAgent(host: server.host, signer: try OpenSSLSigner.generate(algorithm: .es256))
        progress("setting up \(flowing + waiting + sleeping) users with phones, \(visiting) without")
        let file = "\(folder)/tenancy.json"
        try writeFile(
            file,
            Tenancy.document(
                host: server.host, users: flowUsers + waitUsers + visitors + sleepers,
                key: signingAgent.signer.publicKey))
        _ = try server.command(["apply", file], folder: folder)
        try server.waitUntilServed()

        let fixture = try await EnrollmentFixture(server: server)
        var phones: [Phone] = []
        for user in flowUsers + waitUsers {
            phones.append(
                try Phone(
                    uri: try await fixture.ticket(for: user), host: server.host, port: server.port))
        }
        self.phones = Array(phones[..<flowing])
        waitPhones = Array(phones[flowing...])
        try await fixture.enroll(sleepers)
        await fixture.close()
    }

    /// Users each with one phone, which a push service reaches if `push` names one.
    init(
        server: ServerUnderTest, folder: String, pushed: [String],
        push: @escaping @Sendable (String) -> PushCredentials?
    ) async throws {
        (phones, waitPhones, sleepers, visitors) = ([], [], pushed, [])
        agent = Self.agent(host: server.host)
        signingAgent = SigningAgent(host: server.host, signer: try OpenSSLSigner.generate(algorithm: .es256))
        let file = "\(folder)/tenancy.json"
        try writeFile(
            file, Tenancy.document(host: server.host, users: pushed, key: signingAgent.signer.publicKey))
        _ = try server.command(["apply", file], folder: folder)
        try server.waitUntilServed()
        let fixture = try await EnrollmentFixture(server: server)
        try await fixture.enroll(pushed, push: push)
        await fixture.close()
    }
}

/// Enrols through the product's own use cases, beside the running server as its commands do. One command for each of
/// thousands of tickets would take longer than the measurements.
private struct EnrollmentFixture {
    private let installation: Installation
    private let enroll: EnrollDevice
    private let tenant: Tenant

    init(server: ServerUnderTest) async throws {
        var settings = ServerSettings()
        settings.dataFolder = server.dataFolder
        if let database = server.database { settings.store = try StoreLocation(parsing: database) }
        settings.outgoingNetworks = OutgoingPolicy.loopback
        installation = try await Installation(settings)
        enroll = installation.enrollment
        tenant = Tenant(id: TenantID(Tenancy.id), name: Tenancy.id, hosts: [server.host])
    }

    func close() async { await installation.close() }

    /// The `otpauth` URI of a new ticket.
    func ticket(for user: String) async throws -> String { try await uri(for: user).text }

    /// Gives each user an unused phone. All share one key.
    func enroll(
        _ users: [String], push: @escaping @Sendable (String) -> PushCredentials? = { _ in nil }
    ) async throws {
        let key = try OpenSSLSigner.generate(algorithm: .es256).publicKey
        try await forEachAtOnce(users) { user in
            let request = EnrollmentRequest(
                identifier: "sleeping", name: "Bench phone", pushCredentials: push(user), publicKey: key)
            guard let ticket = EnrollmentTicketAuthorization(ticket: try await uri(for: user).transactionID)
            else { throw Failure("\(user) got a ticket that cannot be sent") }
            let configuration = TenantConfiguration(
                tenant: tenant, clients: [], resourceServers: [], roles: [], keys: KeyRing(current: [], published: []))
            _ = try await enroll.enroll(
                request, ticket: ticket,
                context: RequestContext(configuration: configuration, now: .current, remoteAddress: "127.0.0.1"))
        }
    }

    private func uri(for user: String) async throws -> EnrollmentURI {
        let uri = try await enroll.makeTicket(
            for: UserID(user), account: nil, tenant: tenant, lifetime: 3600,
            event: AuditEvent(
                .enrollmentTicketCreated, charge: .server, tenant: tenant.id, at: .current, user: UserID(user)))
        guard let uri else { throw Failure("\(user) does not exist") }
        return uri
    }
}

/// Enrols many at a time, so that they share commits.
func forEachAtOnce<Element: Sendable>(
    _ elements: [Element], _ body: @escaping @Sendable (Element) async throws -> Void
) async throws {
    let group = 200
    for start in stride(from: 0, to: elements.count, by: group) {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for element in elements[start..<min(start + group, elements.count)] {
                tasks.addTask { try await body(element) }
            }
            try await tasks.waitForAll()
        }
    }
}
