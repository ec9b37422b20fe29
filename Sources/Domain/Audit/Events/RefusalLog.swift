package import AuthorizationCore
package import Primitives
import Synchronization

/// Notes in the audit log what was refused to clients that were proven, to devices that are known, and to whoever failed
/// to prove to be one of the clients. Whoever names nothing that is known leaves no entry; the metrics count them.
///
/// What a client or device does over and over is noted a few times a minute, and then how often it was; so are all of a
/// tenant's public and unproven clients together, because anybody can be one, with whoever asks for a new password, or
/// tries to log in or to sign up where there is no such account or one already. What strangers can write is so at most
/// 43,200 entries a day and tenant, beside what the counts of failed attempts let through: of an account that there is,
/// and new accounts from an address.
package final class RefusalLog: Sendable {
    /// Entries a minute for one client or device.
    package static let perMinute = 30
    /// Windows that are kept in memory, at least until they are over.
    private static let windowLimit = 10_000
    private static let window = Duration.seconds(60)
    /// Bytes of a text from outside that an entry keeps.
    private static let textLimit = 256

    private struct Subject: Hashable {
        let tenant: TenantID
        let name: String
    }

    private struct Window {
        var end: Timestamp
        var noted = 0
        var leftOut = 0
    }

    /// The subject of whoever need not be who they say. No client is named like this.
    package static let anybody = ""

    private let log: any AuditLog
    private let windows = Mutex<[Subject: Window]>([:])

    package init(log: any AuditLog) { self.log = log }

    /// That an entry may be written.
    package struct Admission {
        /// How many were not since the last one that was.
        fileprivate let leftOut: Int

        package func entry(_ event: AuditEvent) -> AuditEvent {
            var event = event
            if leftOut > 0 { event.details["left_out"] = .number(JSONNumber(leftOut)) }
            return event
        }
    }

    /// Nil where the subject has enough entries for now.
    private func admit(_ subject: Subject, now: Timestamp) -> Admission? {
        windows.withLock { windows in
            var window = windows[subject] ?? Window(end: now + Self.window)
            if window.end <= now {
                window = Window(end: now + Self.window, leftOut: window.leftOut)
            }
            guard window.noted < Self.perMinute else {
                window.leftOut += 1
                windows[subject] = window
                return nil
            }
            let leftOut = window.leftOut
            window.noted += 1
            window.leftOut = 0
            if windows.count >= Self.windowLimit { windows = windows.filter { $0.value.end > now } }
            windows[subject] = window
            return Admission(leftOut: leftOut)
        }
    }

    /// For an entry that anybody can cause, and that is kept with something else.
    package func admitAnonymous(to tenant: TenantID, now: Timestamp) -> Admission? {
        admit(Subject(tenant: tenant, name: Self.anybody), now: now)
    }

    /// Where the store does not take the entry, the refusal fails with its error.
    package func record(_ event: AuditEvent, of subject: String, message: String, code: String) async throws {
        guard let admission = admit(Subject(tenant: event.tenant, name: subject), now: event.at) else { return }
        var event = event
        event.details["error"] = ["code": .string(code), "message": .string(Self.beginning(message))]
        try await log.record(admission.entry(event))
    }

    package static func beginning(_ text: String) -> String {
        text.utf8.count <= textLimit ? text : String(decoding: text.utf8.prefix(textLimit), as: UTF8.self)
    }
}
