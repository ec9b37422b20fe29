package import AuthorizationCore
package import Flows
package import Primitives

/// Findings of no real examination, for tests of what shows them.
package struct KnownFindings: TenantExaminer {
    private let all: [HealthFinding]

    package init(_ all: [HealthFinding] = []) { self.all = all }

    package func findings(
        on tenant: TenantConfiguration, _ scope: HealthScope, now: Timestamp
    ) async -> [HealthFinding] {
        all + scope.names.map { HealthFinding("dns", .ok($0, "192.0.2.1")) }
    }

    package func ring(_ device: Device, of tenant: TenantConfiguration, now: Timestamp) async -> CredentialFinding? {
        device.push.map { _ in .ok(device.name, "the service took a message that shows nothing") }
    }

    package func mail(_ address: EmailAddress, of tenant: TenantConfiguration, now: Timestamp) async
        -> CredentialFinding
    {
        .ok("mail to \(address)", "the mail server took the mail")
    }
}
