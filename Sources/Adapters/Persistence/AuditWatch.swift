package import Audit
import Synchronization

/// The end of a lane of the audit log was cut off while this process ran.
package struct LostAuditEntries: Sendable, Equatable {
    /// Last entry that this process had appended or seen.
    package let known: AuditHead
    /// Last entry of the lane when this process appended the next one. Nil if the lane was empty.
    package let found: AuditHead?
}

/// Remembers the last audit entry of each lane that this process appended or saw, and checks it before the next append.
///
/// An entry counts once its change was acknowledged. Until then the change may be rolled back.
final class AuditWatch: Sendable {
    private struct State {
        var known = AuditHeads()
        /// Entries of acknowledged changes since the start.
        var counts: [AuditEvent.Kind: Int] = [:]
        var report: @Sendable (LostAuditEntries) -> Void = { _ in }
    }

    private let state = Mutex(State())

    func known(in lane: Int64) -> AuditHead? { state.withLock { $0.known[lane] } }

    func watch(_ report: @escaping @Sendable (LostAuditEntries) -> Void) { state.withLock { $0.report = report } }

    /// Entries of each kind that this process appended.
    var counts: [AuditEvent.Kind: Int] { state.withLock(\.counts) }

    /// Remembers the entries of an acknowledged change.
    func know(_ notes: ChangeNotes.Noted) {
        guard let last = notes.last, !notes.kinds.isEmpty else { return }
        state.withLock { state in
            for kind in notes.kinds { state.counts[kind, default: 0] += 1 }
        }
        know(last.head)
    }

    /// Keeps the later head if several changes are acknowledged at once.
    func know(_ head: AuditHead) {
        state.withLock { state in
            let lane = head.place.lane
            if head.place.number > state.known[lane]?.place.number ?? 0 { state.known[lane] = head }
        }
    }

    /// Reports a loss once and forgets the head.
    func lose(_ known: AuditHead, found: AuditHead?) {
        let report = state.withLock { state in
            state.known[known.place.lane] = nil
            return state.report
        }
        report(LostAuditEntries(known: known, found: found))
    }
}
