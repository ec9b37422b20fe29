package import ApprovalWire
package import AuthorizationCore

/// Shows a person their own decisions, and requests that ended without an answer. An entry that was changed in the
/// database is left out and recorded.
package struct DecisionHistory: Sendable {
    package static let pageRange = 1...50
    package static let defaultPage = 20
    /// A page ends after the record that reaches it, because a record may have `RequestRecord.limit` bytes.
    static let byteLimit = 1_048_576

    let store: any ApprovalStore
    let vault: RequestVault

    /// - Parameters:
    ///   - before: Cursor of an earlier page. Nil begins with the newest entry.
    ///   - unanswered: True for decisions and for requests that ended without an answer, false for decisions.
    ///   - count: Entries of the page, within `pageRange`.
    package func page(
        of device: AuthenticatedDevice, before: Int64?, unanswered: Bool, count: Int, context: RequestContext
    ) async throws -> DecidedRequests {
        try await page(
            of: device.device.user, before: before, unanswered: unanswered, count: count, context: context)
    }

    /// Place in the history. Numbers of another installation's entries are negative, and a cursor has digits alone.
    private static func cursor(_ number: Int64) -> String { String(UInt64(bitPattern: number)) }

    /// Nil for a text that is no cursor.
    package static func number(ofCursor text: String) -> Int64? { UInt64(text).map { Int64(bitPattern: $0) } }

    /// The same for the person in a browser.
    func page(
        of user: UserID, before: Int64?, unanswered: Bool, count: Int, context: RequestContext
    ) async throws -> DecidedRequests {
        let stored = try await store.endings(
            of: user, tenant: context.tenant.id, before: before ?? .max, unanswered: unanswered, limit: count + 1)
        var requests: [DecidedRequests.Element] = []
        var (bytes, read) = (0, 0)
        for ending in stored.prefix(count) where bytes < Self.byteLimit {
            read += 1
            guard let element = try await element(ending, context) else { continue }
            bytes += element.record.text.utf8.count
            requests.append(element)
        }
        let next = read > 0 && read < stored.count ? Self.cursor(stored[read - 1].number) : nil
        return DecidedRequests(requests, next: next)
    }

    private func element(
        _ ending: StoredEnding, _ context: RequestContext
    ) async throws -> DecidedRequests.Element? {
        switch ending {
        case .decided(let approval):
            try await vault.open(approval, context: context).map { .decided($0) }
        case .unanswered(let request):
            try await vault.open(request, context: context).map { record in
                .unanswered(
                    DecidedRequests.Unanswered(
                        record: record, isExpired: request.ending == .expired, endedAt: request.endedAt))
            }
        }
    }
}
