package protocol AuditLog: Sendable {
    /// All or none.
    func record(_ events: [AuditEvent]) async throws
}

extension AuditLog {
    package func record(_ event: AuditEvent) async throws { try await record([event]) }
}
