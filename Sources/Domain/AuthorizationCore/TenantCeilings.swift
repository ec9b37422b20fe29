/// Largest values of settings that a tenant's administrators may set. The server's operator may set more.
package struct TenantCeilings: Sendable, Equatable {
    package var pendingRequests = 5_000_000
    /// In seconds.
    package var approvalRetention = TenantSettings.approvalRetentionRange.upperBound
    package var loginsPerMinutePerAddress = 3_000
    package var actionsPerMinute = 600
    package var clientTokensPerMinute = 6_000
    package var managementRequestsPerMinute = 30_000

    package init() {}
}
