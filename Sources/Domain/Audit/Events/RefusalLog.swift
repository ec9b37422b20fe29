package import AuthorizationCore
package import Primitives
import Synchronization

/// An entry of a refusal that nobody has admitted. `RefusalLog` alone makes an event of it.
package struct AuditRefusal: Sendable {
    fileprivate var event: AuditEvent

    /// `event` has the charge of a refusal.
    init(event: AuditEvent) { self.event = event }

    package var consent: ConsentID? { event.consent }

    package var user: UserID? {
        get { event.user }
        set { event.user = newValue }
    }

    package var details: JSONObject {
        get { event.details }
        set { event.details = newValue }
    }
}

/// Records refusals of authenticated clients, of known devices, and of failed client authentication. Requests that name
/// nothing known leave no entry; metrics count them.
///
/// Entries of one client or device are limited per minute, and the next entry has the number left out. A tenant has one
/// common limit for what anyone can cause: requests of public and unauthenticated clients, password resets, logins to
/// unknown accounts and sign-ups for existing ones. These write at most 43,200 entries a day and tenant, besides what
/// the counts of failed attempts allow: for existing accounts, and new accounts from an address.
package final class RefusalLog: Sendable {
    /// Entries per minute per client or device.
    package static let perMinute = 30
    /// Windows in memory before ended ones are removed.
    private static let windowLimit = 10_000
    private static let window = Duration.seconds(60)
    /// Maximum bytes of external text in an entry.
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

    /// Common subject of anonymous requests. No client has this name.
    package static let anonymous = ""

    private let log: any AuditLog
    private let windows = Mutex<[Subject: Window]>([:])

    package init(log: any AuditLog) { self.log = log }

    /// Permission to write an entry.
    package struct Admission {
        /// Number of entries left out since the last one.
        fileprivate let leftOut: Int

        package func entry(_ refusal: AuditRefusal) -> AuditEvent {
            var event = refusal.event
            if leftOut > 0 { event.details["left_out"] = .number(JSONNumber(leftOut)) }
            return event
        }
    }

    /// Nil if the subject's limit is reached.
    private func admit(_ subject: Subject, now: Timestamp) -> Admission? {
        windows.withLock { windows in
            var window = windows[subject] ?? Window(end: now + Self.window)
            if window.end <= now { window = Window(end: now + Self.window, leftOut: window.leftOut) }
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

    /// For anonymous requests' entries that are stored with other data.
    package func admitAnonymous(to tenant: TenantID, now: Timestamp) -> Admission? {
        admit(Subject(tenant: tenant, name: Self.anonymous), now: now)
    }

    /// The entry of an anonymous request. Nil if the limit of such entries is reached.
    package func anonymous(_ refusal: AuditRefusal) -> AuditEvent? {
        admitAnonymous(to: refusal.event.tenant, now: refusal.event.at)?.entry(refusal)
    }

    /// If the store rejects the entry, the refusal fails with that error.
    package func record(_ refusal: AuditRefusal, of subject: String) async throws {
        let subject = Subject(tenant: refusal.event.tenant, name: subject)
        guard let admission = admit(subject, now: refusal.event.at) else { return }
        try await log.record(admission.entry(refusal))
    }

    /// The same, with the error of the answer in the entry.
    package func record(_ refusal: AuditRefusal, of subject: String, message: String, code: String) async throws {
        var refusal = refusal
        refusal.details["error"] = ["code": .string(code), "message": .string(Self.beginning(message))]
        try await record(refusal, of: subject)
    }

    package static func beginning(_ text: String) -> String {
        text.utf8.count <= textLimit ? text : String(decoding: text.utf8.prefix(textLimit), as: UTF8.self)
    }
}
