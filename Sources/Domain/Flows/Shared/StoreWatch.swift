import AuthorizationCore

/// Waits for a change that nothing announces: a held browser has the store read once a second. A change by another node
/// counts, too.
struct StoreWatch: Sendable {
    static let pace = Duration.seconds(1)

    let decisions: DecisionHub
    let timer: any Timer
    /// Maximum wait for one answer.
    let hold: Duration

    var uptime: Duration { timer.uptime }

    /// Returns false once `isUnchanged` is false or the server stops, and true after `hold`, or at once.
    func goesOn(atOnce: Bool, while isUnchanged: () async throws -> Bool) async throws -> Bool {
        let end = timer.uptime + hold
        repeat {
            guard !decisions.isReleased, try await isUnchanged() else { return false }
            if atOnce { break }
            try await timer.sleep(Self.pace)
        } while timer.uptime < end
        return !decisions.isReleased
    }
}
