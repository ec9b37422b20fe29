import Audit
import AuthorizationCore
import Flows
import Primitives
import Synchronization

/// Fails with the given answers in order, then takes every mail.
final class FakeTransport: MailTransport {
    let answers: Mutex<[MailFailure]>
    let taken = Mutex<[FinishedMail]>([])

    let calls = Counter()
    private let gate: Gate?

    init(_ answers: [MailFailure] = [], gate: Gate? = nil) {
        self.answers = Mutex(answers)
        self.gate = gate
    }

    func check() async throws(MailFailure) {}

    func send(_ finished: FinishedMail, now: Timestamp) async throws(MailFailure) {
        taken.withLock { $0.append(finished) }
        calls.add()
        await gate?.pass()
        if let failure = answers.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { throw failure }
    }
}

final class FakeRelays: MailRelays {
    let transport = FakeTransport()

    func transport(to relay: MailRelay) -> any MailTransport { transport }
}

final class FakeMailSource: MailSource {
    let state = Mutex<(request: (SealedRequest, User?)?, retired: [String])>((nil, []))
    let reads = Counter()

    func approvalMail(of request: Int64, to user: UserID) async throws -> (request: SealedRequest, user: User?)? {
        state.withLock { $0.request }
    }

    func metadata(of user: UserID, in tenant: TenantID) async throws -> UserMetadata {
        reads.add()
        return UserMetadata(user: ["team": "Blue"])
    }

    func retire(
        address: EmailAddress, of tenant: TenantID, bounce: EmailBounce, mailedAt: Timestamp,
        event: @escaping @Sendable (UserID) -> AuditEvent
    ) async throws -> [UserID] {
        state.withLock { $0.retired.append("\(address) \(bounce.status)") }
        return [UserID("auth0|ann")]
    }

    func reopen(_ entry: Int64, of tenant: TenantID, problem: String, now: Timestamp) async throws -> Bool { false }
}
