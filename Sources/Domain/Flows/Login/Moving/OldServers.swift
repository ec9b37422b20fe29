import AuthorizationCore
package import HTTPModel
import Primitives
import Synchronization

/// A reason why an old server's word on a person cannot be had.
enum OldServerFailure: Error, Sendable, Equatable {
    /// So many calls are under way, or failed just now, that no further one is made.
    case resting
    case unreachable(HTTPClientError)
    case answered(Int)
    /// The answer breaks a rule. Holds the fault.
    case answer(String)
    /// The secret cannot be opened: the master key is another one.
    case secret

    /// True if the server is well, and only its answer about this person cannot be used. The person's own texts may have
    /// brought it about, and it may be a lock of their account alone.
    var isAboutPerson: Bool {
        switch self {
        case .answer, .unreachable(.tooLarge), .answered(400..<500): true
        case .resting, .unreachable, .answered, .secret: false
        }
    }

    /// Text for logs, without secrets.
    var detail: String {
        switch self {
        case .resting: "it is not called, because too many calls are under way or failed"
        case .unreachable(let error): "\(error)"
        case .answered(let status): "it answered with the status \(status)"
        case .answer(let fault): "the answer \(fault)"
        case .secret: "the connection's secret cannot be opened"
        }
    }
}

/// Calls the old servers of tenants, each within its limits. The server has one of it.
package final class OldServers: Sendable {
    /// Calls of one tenant at a time. Further ones are refused and do not wait.
    static let calls = 16
    /// Failures in a row after which an old server is left alone: for the tenant, if they came from several networks, and
    /// otherwise for that network. So nobody keeps others out by requests on which the old server fails.
    static let failures = 5
    static let rest = Duration.seconds(10)
    /// Bytes of an answer: a profile with both kinds of metadata.
    static let answerLimit = 2 * UserMetadata.sizeLimit + 16_384

    private struct Room {
        var calls = 0
        /// Networks of the failures since the last answer, at most as many as end in a rest, newest last.
        var failures: [String] = []
        var failedAt: Timestamp?

        func rests(for network: String, at now: Timestamp) -> Bool {
            guard failures.count == OldServers.failures, let failedAt, now < failedAt + OldServers.rest else {
                return false
            }
            return failures.contains { $0 != failures[0] } || failures[0] == network
        }
    }

    private let client: any OutgoingHTTPClient
    private let log: @Sendable (String) -> Void
    private let rooms = Mutex<[TenantID: Room]>([:])

    /// - Parameters:
    ///   - log: Gets lines about servers that cannot be used, without secrets and people.
    package init(client: any OutgoingHTTPClient, log: @escaping @Sendable (String) -> Void) {
        self.client = client
        self.log = log
    }

    /// A question about one person.
    struct Question: Sendable {
        let email: EmailAddress
        /// Nil asks for the person without a proof.
        let password: String?
        let connection: String

        fileprivate func body(_ context: RequestContext) -> [UInt8] {
            var body: JSONObject = [
                "action": .string(password == nil ? "get_user" : "login"), "email": .string(email.description),
                "tenant": .string(context.tenant.id.rawValue), "connection": .string(connection),
            ]
            if let password { body["password"] = .string(password) }
            if let address = context.remoteAddress { body["ip"] = .string(address) }
            return JSONWriter.bytes(.object(body))
        }
    }

    /// The old server's user. Nil if it knows none, or if the password is another one.
    func answer(
        to question: Question, by server: OldServer, secret: String, _ context: RequestContext
    ) async throws(OldServerFailure) -> OldUser? {
        let tenant = context.tenant.id
        let network = context.remoteAddress ?? ""
        guard enter(tenant, network, context.now) else { throw .resting }
        do throws(OldServerFailure) {
            let user = try await call(question, server, secret, context)
            leave(tenant, .well)
            return user
        } catch {
            if error == .unreachable(.cancelled) {
                leave(tenant, .unknown)
            } else {
                leave(tenant, error.isAboutPerson ? .well : .failed(network, at: context.now))
                log("\(tenant): \(error.detail)")
            }
            throw error
        }
    }

    private func call(
        _ question: Question, _ server: OldServer, _ secret: String, _ context: RequestContext
    ) async throws(OldServerFailure) -> OldUser? {
        let request = ClientRequest(
            method: .post, url: server.endpoint.description,
            fields: [
                "Accept": "application/json", "Content-Type": "application/json", "User-Agent": "Countersign",
                "Authorization": "Bearer \(secret)",
            ], body: question.body(context), timeout: .seconds(server.timeout))
        let response: ClientResponse
        do throws(HTTPClientError) {
            response = try await client.send(request)
        } catch {
            throw .unreachable(error)
        }
        switch response.status {
        case 200: break
        case 401, 404: return nil
        default: throw .answered(response.status)
        }
        guard response.body.count <= Self.answerLimit else {
            throw .unreachable(.tooLarge(limit: Self.answerLimit))
        }
        guard let answer = try? JSONReader.parse(response.body) else { throw .answer("is no JSON") }
        return try OldUser(answer, of: question.email, taking: server.members, now: context.now)
    }

    private func enter(_ tenant: TenantID, _ network: String, _ now: Timestamp) -> Bool {
        rooms.withLock { rooms in
            var room = rooms[tenant] ?? Room()
            guard room.calls < Self.calls, !room.rests(for: network, at: now) else { return false }
            room.calls += 1
            rooms[tenant] = room
            return true
        }
    }

    /// A call's word on the server itself.
    private enum Finding {
        case well
        case failed(String, at: Timestamp)
        /// The person left before an answer came.
        case unknown
    }

    private func leave(_ tenant: TenantID, _ finding: Finding) {
        rooms.withLock { rooms in
            guard var room = rooms[tenant] else { return }
            room.calls -= 1
            switch finding {
            case .well: room.failures = []
            case .failed(let network, let now):
                room.failures = room.failures.suffix(Self.failures - 1) + [network]
                room.failedAt = now
            case .unknown: break
            }
            rooms[tenant] = room.calls == 0 && room.failures.isEmpty ? nil : room
        }
    }
}
