package import AuthorizationCore
package import Flows
package import Primitives
import Synchronization

/// Sends the mails that wait in the store, oldest first and one at a time; tries again with growing waits until a mail
/// is of no more use.
package final class MailWorker: Sendable {
    /// Mails taken at a time.
    static let batch = 32
    /// How often the store is looked at.
    static let pause = Duration.seconds(1)
    static let longestDelay = Duration.seconds(600)

    /// Mails that the mail server took.
    package let sent = Counter()
    /// Tries that failed, after which another follows.
    package let postponed = Counter()
    /// Mails that were refused or became useless.
    package let givenUp = Counter()

    private let store: any MailStore
    private let transport: (any MailTransport)?
    private let sealer: any Sealer
    private let hashing: any Hashing
    private let clock: any WallClock
    private let timer: any Timer
    private let report: @Sendable (String) -> Void
    private let saidThatNobodySends = Atomic(false)

    /// Without a transport mails wait, in case a later start has one, until they are of no use. `report` gets lines
    /// for the log, which hold neither a mail's text nor whom it is for.
    package init(
        store: any MailStore, transport: (any MailTransport)?, sealer: any Sealer, hashing: any Hashing,
        clock: any WallClock, timer: any Timer, report: @escaping @Sendable (String) -> Void
    ) {
        self.store = store
        self.transport = transport
        self.sealer = sealer
        self.hashing = hashing
        self.clock = clock
        self.timer = timer
        self.report = report
    }

    /// Works until the task is cancelled.
    package func run() async {
        while !Task.isCancelled {
            do {
                while try await work() == Self.batch {}
            } catch {
                report("the store of mail failed: \(error)")
            }
            try? await timer.sleep(Self.pause)
        }
    }

    /// Tries what is due, and returns how many mails that were.
    private func work() async throws -> Int {
        let due = try await store.dueMail(now: clock.now, limit: Self.batch)
        for entry in due where !Task.isCancelled { try await deliver(entry) }
        return Task.isCancelled ? 0 : due.count
    }

    private func deliver(_ entry: DueMail) async throws {
        let mail: OutgoingMail
        do {
            mail = try entry.mail.opened(by: sealer)
        } catch {
            return try await drop(entry, "it cannot be opened; was the master key changed?")
        }
        do throws(MailFailure) {
            guard let transport else { throw .failed("no mail server is configured") }
            let id = Hex.encode(hashing.sha256(entry.mail.sealed).prefix(16))
            try await transport.send(mail, id: id, now: clock.now)
        } catch {
            // The server stops: the mail stays as it is.
            guard !Task.isCancelled else { return }
            return try await settle(entry, after: error)
        }
        try await store.removeMail(entry.id)
        sent.increment()
    }

    private func settle(_ entry: DueMail, after failure: MailFailure) async throws {
        switch failure {
        case .refused(let reason): try await drop(entry, reason)
        case .failed(let reason):
            let attempts = entry.attempts + 1
            let dueAt = clock.now + Self.delay(afterAttempts: attempts)
            guard dueAt < entry.mail.expiresAt else { return try await drop(entry, reason) }
            if transport != nil {
                report("mail \(entry.id) is tried again: \(reason)")
            } else if !saidThatNobodySends.exchange(true, ordering: .relaxed) {
                report("mail waits, and is dropped when it is of no more use: \(reason)")
            }
            try await store.postponeMail(entry.id, attempts: attempts, dueAt: dueAt)
            postponed.increment()
        }
    }

    private func drop(_ entry: DueMail, _ reason: String) async throws {
        report("mail \(entry.id) of the tenant \(entry.mail.tenant) was given up: \(reason)")
        try await store.removeMail(entry.id)
        givenUp.increment()
    }

    /// 5, 10, 20, … seconds, ten minutes at most.
    static func delay(afterAttempts attempts: Int) -> Duration {
        min(.seconds(5 << min(attempts - 1, 10)), longestDelay)
    }
}
