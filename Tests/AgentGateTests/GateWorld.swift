import AgentGate
import AuthorizationCore
import CountersignClient
import CountersignServer
import Foundation
import HTTPModel
import JSONSchema
import OAuthWire
import OpenSSLCrypto
import Primitives
import Synchronization
import TestSupport

/// A server, a phone and a person, by one clock that moves only while somebody sleeps.
final class GateWorld: HTTPClient, PollingClock {
    /// A person's plan for a request.
    struct Plan: Sendable {
        var delay: Duration = .seconds(1)
        var accepted = true
        var reason: String?
    }

    private struct State {
        var server: InProcessServer
        var isDown = false
        var losesStarts = 0
        var diesAfterApproval = false
        var starts: [String] = []
        var polls = 0
        var due: [(at: Timestamp, request: String, plan: Plan)] = []
        /// The person's answers up to now.
        var answers: Task<Void, Never>?
        var plan: @Sendable (Int) -> Plan? = { _ in Plan() }
        var onSleep: (@Sendable (GateWorld) async throws -> Void)?
    }

    private let state: Mutex<State>
    private let first: InProcessServer
    private let phone: InProcessPhone
    let folder: Folder

    init(_ change: (inout InProcessServer.Setup) -> Void = { _ in }) async throws {
        folder = try Folder()
        first = try await InProcessServer { setup in
            setup.tenant.settings.requestsPerMinutePerUser = 1000
            setup.tenant.settings.pendingRequestsPerUser = 1000
            setup.tenant.settings.pollInterval = 60
            setup.tenant.settings.longPollMaximum = 0
            setup.tenant.settings.rejectionPause = 0
            setup.tenant.settings.authorizationDetailsLimits.bytes = 16_384
            setup.tenant.settings.authorizationDetailsLimits.valueLength = 8192
            setup.tenant.settings.authorizationDetailsLimits.properties = 20
            setup.tenant.settings.authorizationDetailsLimits.depth = 8
            setup.clients[0].allowsLongPush = true
            setup.apis.append(try Self.agentTools())
            change(&setup)
        }
        phone = try await InProcessPhone(in: first)
        state = Mutex(State(server: first))
    }

    private static func agentTools() throws -> ResourceServer {
        try Samples.resourceServer(AgentTools.identifier) { api in
            api.scopes = []
            api.authorizationDetailsTypes = (AgentTools.document["authorization_details"]?.arrayValue ?? []).map {
                value in
                var type = ResourceServer.AuthorizationDetailsType(
                    type: value["type"]?.stringValue ?? "", schemaSource: value["schema"])
                if let schema = value["schema"], let compiled = try? JSONSchema(compiling: schema) {
                    type.schema = .success(compiled)
                }
                return type
            }
        }
    }

    // MARK: the person

    /// Plans by the number of the request, from 0. Nil means that nobody ever answers.
    func plan(_ plan: @escaping @Sendable (Int) -> Plan?) { state.withLock { $0.plan = plan } }

    func onSleep(_ body: (@Sendable (GateWorld) async throws -> Void)?) { state.withLock { $0.onSleep = body } }

    /// Distinct requests that were started.
    var requests: [String] { state.withLock { $0.starts } }
    var polls: Int { state.withLock { $0.polls } }

    func allow(_ request: String) async throws { _ = try await phone.decide(request, signsDigest: true) }

    // MARK: faults

    func kill() { state.withLock { $0.isDown = true } }

    /// Starts another server on the same store.
    func restart() async throws {
        let server = try await InProcessServer(beside: first)
        state.withLock { state in
            state.server = server
            state.isDown = false
        }
    }

    /// Kills the server behind the answer that has the tokens.
    func dieAfterApproval() { state.withLock { $0.diesAfterApproval = true } }

    /// Loses the answers to the next starts.
    func loseStarts(_ count: Int) { state.withLock { $0.losesStarts = count } }

    // MARK: clock

    var now: Timestamp { first.clock.now }

    func sleep(for duration: Duration) async throws(CancellationError) {
        if Task.isCancelled { throw CancellationError() }
        first.advance(duration)
        // A sleeper waits for the answers that another one's sleep has made due: time does not go on without them.
        let answers = state.withLock { state in
            let due = state.due.filter { $0.at <= first.clock.now }
            state.due.removeAll { $0.at <= first.clock.now }
            let answers = Task { [earlier = state.answers] in
                await earlier?.value
                await noting { for answer in due { try await give(answer.plan, to: answer.request) } }
            }
            state.answers = answers
            return answers
        }
        await answers.value
        await noting { try await state.withLock { $0.onSleep }?(self) }
    }

    private func give(_ plan: Plan, to request: String) async throws {
        let status = try await phone.decide(
            request, accepted: plan.accepted, reason: plan.reason, signsDigest: plan.accepted
        ).status
        guard status == 204 else { throw Unexpected("the phone's answer got \(status)") }
    }

    private func noting(_ body: () async throws -> Void) async {
        do { try await body() } catch { faults.withLock { $0.append("\(error)") } }
    }

    let faults = Mutex<[String]>([])

    // MARK: transport

    func send(_ request: ClientRequest) async throws(HTTPClientError) -> ClientResponse {
        let (server, isDown) = state.withLock { ($0.server, $0.isDown) }
        guard !isDown else { throw .cannotConnect("the server is down") }
        guard let url = URL(string: request.url) else { throw .invalidURL(request.url) }
        var fields = request.fields
        fields.set("Host", url.host() ?? "")
        let answer = await server.send(
            Request(
                method: request.method, path: url.path(), query: url.query(), fields: fields, body: request.body ?? []))
        let response = ClientResponse(status: answer.status, fields: answer.fields, body: answer.body)
        if url.path() == "/oauth/token" {
            state.withLock { state in
                state.polls += 1
                guard state.diesAfterApproval, answer.status == 200 else { return }
                (state.isDown, state.diesAfterApproval) = (true, false)
            }
        }
        guard url.path() == "/bc-authorize", let id = answer["auth_req_id"]?.stringValue else { return response }
        let isLost = state.withLock { state in
            if !state.starts.contains(id) {
                if let plan = state.plan(state.starts.count) {
                    state.due.append((first.clock.now + plan.delay, id, plan))
                }
                state.starts.append(id)
            }
            defer { state.losesStarts = max(0, state.losesStarts - 1) }
            return state.losesStarts > 0
        }
        if isLost { throw .other("the connection was lost") }
        return response
    }

    func stream(_ request: ClientRequest) async throws(HTTPClientError) -> StreamingResponse {
        throw .other("nothing is streamed here")
    }

    // MARK: the gate

    /// A hook is a process of its own: each prompt makes everything anew.
    func hook(
        _ call: AgentCall, wait: Duration = .seconds(540), expiry: Duration = .seconds(43_200),
        user: String = "auth0|ann"
    ) async throws -> GateDecision {
        try await gatekeeper(expiry: expiry, user: user).decide(call, until: now + wait)
    }

    func gatekeeper(expiry: Duration = .seconds(43_200), user: String = "auth0|ann") throws -> Gatekeeper {
        let issuer = try URL(string: "https://\(InProcessServer.host)/").orThrow("no URL")
        return try Gatekeeper(
            issuer: issuer, clientID: "agent", authentication: .secretPost(Samples.secret),
            terms: Gatekeeper.Terms(user: user, audience: AgentTools.identifier, expiry: expiry),
            pending: PendingCalls(folder: "\(folder.path)/pending"),
            environment: CountersignClient.Environment(
                transport: self, verifier: OpenSSLVerifier(), hashing: OpenSSLHashing(), clock: self))
    }

    /// Files of pending calls.
    var pendingFiles: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/pending").filter {
                $0.hasSuffix(".json")
            }
            .map { "\(folder.path)/pending/\($0)" }
        }
    }

    static func command(_ command: String, session: String = "s", id: String? = nil) -> AgentCall {
        AgentCall(
            session: session, id: id, tool: "Bash", folder: "/home/ann/shop", input: ["command": .string(command)])
    }
}
