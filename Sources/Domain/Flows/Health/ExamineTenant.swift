package import AuthorizationCore
package import Primitives
import Synchronization

/// Result of one examination of a tenant.
package struct HealthFinding: Sendable, Equatable {
    /// Name of the check, as `countersign doctor` has it: `dns`.
    package let check: String
    package let finding: CredentialFinding

    package init(_ check: String, _ finding: CredentialFinding) {
        self.check = check
        self.finding = finding
    }
}

/// Parts of an examination.
package enum HealthScope: Sendable, Hashable {
    /// Everything, and hosts that the tenant has or wants to have.
    case all(names: [String])
    case name(String)

    package var names: [String] {
        switch self {
        case .all(let names): names
        case .name(let name): [name]
        }
    }
}

/// Looks at what a tenant depends on outside the store. Results say nothing of other tenants or of the machine.
package protocol TenantExaminer: Sendable {
    func findings(on tenant: TenantConfiguration, _ scope: HealthScope, now: Timestamp) async -> [HealthFinding]
    /// Sends a phone a message that shows nothing. Nil for a phone without a token of a push service for apps.
    func ring(_ device: Device, of tenant: TenantConfiguration, now: Timestamp) async -> CredentialFinding?
    /// Sends a small mail by the mail server of the tenant, or else of the operator.
    func mail(_ address: EmailAddress, of tenant: TenantConfiguration, now: Timestamp) async -> CredentialFinding
}

/// Examines a tenant for its administrators, and tries what reaches the administrator who asks.
package final class ExamineTenant: Sendable {
    package enum Failure: Error { case tooSoon, noAddress, busy }

    /// A result, which all administrators of a tenant share for a while.
    private struct SharedResult {
        let scope: HealthScope
        let begin: Timestamp
        let task: Task<[HealthFinding], Never>
    }

    private struct Person: Hashable {
        let tenant: TenantID
        let user: UserID
    }

    private struct State {
        var results = BoundedTable<TenantID, SharedResult>(limit: 1_000)
        /// Examinations of each tenant that have not ended.
        var unfinished: [TenantID: Int] = [:]
        var trials = BoundedTable<Person, Timestamp>(limit: 10_000)
    }

    /// Time for which a result is shared.
    private static let life = Duration.seconds(60)
    /// Examinations of a tenant of which one runs and the others wait. Further ones are refused.
    private static let queueLimit = 4
    /// Time between two trials of a person.
    private static let pause = Duration.seconds(10)

    private let examiner: any TenantExaminer
    private let accounts: any EnrollmentStore & AccountReader
    private let state = Mutex(State())

    init(_ examiner: any TenantExaminer, _ accounts: any EnrollmentStore & AccountReader) {
        self.examiner = examiner
        self.accounts = accounts
    }

    /// A tenant has one examination at a time. Throws `busy` if too many wait.
    package func findings(_ scope: HealthScope, _ context: RequestContext) async throws(Failure) -> [HealthFinding] {
        let (tenant, now) = (context.configuration, context.now)
        let id = tenant.tenant.id
        let task = try state.withLock { state throws(Failure) -> Task<[HealthFinding], Never> in
            let known = state.results[id]
            if let known, known.scope == scope, known.begin <= now, now < known.begin + Self.life { return known.task }
            guard state.unfinished[id, default: 0] < Self.queueLimit else { throw .busy }
            state.unfinished[id, default: 0] += 1
            let task = Task {
                defer { end(of: id) }
                _ = await known?.task.value
                return await examiner.findings(on: tenant, scope, now: now)
            }
            state.results[id] = SharedResult(scope: scope, begin: now, task: task)
            return task
        }
        return await task.value
    }

    private func end(of tenant: TenantID) {
        state.withLock { state in
            let left = state.unfinished[tenant, default: 1] - 1
            state.unfinished[tenant] = left > 0 ? left : nil
        }
    }

    /// Rings the person's own phones that a push service reaches.
    package func ringPhones(of user: UserID, _ context: RequestContext) async throws -> [CredentialFinding] {
        try begin(user, context)
        var findings: [CredentialFinding] = []
        for owned in try await accounts.devices(of: user, tenant: context.tenant.id) {
            let finding = await examiner.ring(owned.device, of: context.configuration, now: context.now)
            if let finding { findings.append(finding) }
        }
        return findings
    }

    /// Sends the person a mail, to their verified address.
    package func mail(_ user: UserID, _ context: RequestContext) async throws -> CredentialFinding {
        let account = try await accounts.account(user, tenant: context.tenant.id)
        guard let address = account?.user.email, account?.user.emailVerified == true else { throw Failure.noAddress }
        try begin(user, context)
        return await examiner.mail(address, of: context.configuration, now: context.now)
    }

    private func begin(_ user: UserID, _ context: RequestContext) throws(Failure) {
        let person = Person(tenant: context.tenant.id, user: user)
        let isSoon = state.withLock { state in
            if let last = state.trials[person], last <= context.now, context.now < last + Self.pause { return true }
            state.trials[person] = context.now
            return false
        }
        if isSoon { throw .tooSoon }
    }
}
