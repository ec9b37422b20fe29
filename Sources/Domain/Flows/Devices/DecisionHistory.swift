package import ApprovalWire
package import AuthorizationCore

/// Shows a person their own decisions. A decision that was changed in the database is left out and recorded.
package struct DecisionHistory: Sendable {
    package static let pageRange = 1...50
    package static let defaultPage = 20
    /// A page ends after the record that reaches it, because a record may have `RequestRecord.limit` bytes.
    static let byteLimit = 1_048_576

    private let store: any ApprovalStore
    private let vault: RequestVault

    package init(store: any ApprovalStore, vault: RequestVault) {
        self.store = store
        self.vault = vault
    }

    /// - Parameters:
    ///   - before: Cursor of an earlier page. Nil begins with the newest decision.
    ///   - count: Decisions of the page, within `pageRange`.
    package func page(
        of device: AuthenticatedDevice, before: Int64?, count: Int, context: RequestContext
    ) async throws -> DecidedRequests {
        let user = device.device.user
        let stored = try await store.approvals(
            of: user, tenant: context.tenant.id, before: before ?? .max, limit: count + 1)
        var requests: [ApprovalEvidence] = []
        var (bytes, read) = (0, 0)
        for approval in stored.prefix(count) where bytes < Self.byteLimit {
            read += 1
            guard let evidence = try await vault.open(approval.approval, context: context) else { continue }
            bytes += evidence.record.text.utf8.count
            requests.append(evidence)
        }
        let next = read > 0 && read < stored.count ? String(stored[read - 1].sequence) : nil
        return DecidedRequests(requests, next: next)
    }
}
