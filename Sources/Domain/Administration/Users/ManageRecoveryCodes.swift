import Audit
package import AuthorizationCore
package import Configuration
import Primitives

/// Renews users' recovery codes for operators. A user's own page makes several.
package struct ManageRecoveryCodes: Sendable {
    let store: any ConfigurationStore
    let hashing: any Hashing
    let random: any RandomSource

    /// Number of unused codes.
    package func left(of user: UserID, in tenant: TenantID) async throws -> Int {
        try await store.read { try $0.recoveryCodes(of: user, in: tenant) }
    }

    /// Replaces all codes by one. A user without a phone has nothing that a code could take the place of.
    package func renew(of user: UserID, for context: AdministrativeContext) async throws -> RecoveryCode {
        let code = RecoveryCode(random)
        try await store.change(for: context) { change in
            _ = try ManageUsers.record(of: user, change.transaction, context.tenant)
            guard try !change.transaction.devices(of: user, in: context.tenant).isEmpty else {
                throw AdministrationFailure.unsupported("The user has no phone; make an enrolment ticket for one")
            }
            try replace(by: [code.hash(hashing)], of: user, change)
        }
        return code
    }

    package func removeAll(of user: UserID, for context: AdministrativeContext) async throws {
        try await store.change(for: context) { try replace(by: [], of: user, $0) }
    }

    private func replace(by hashes: [[UInt8]], of user: UserID, _ change: UserChange) throws {
        try change.transaction.replaceRecoveryCodes(of: user, by: hashes, in: change.tenant, now: change.now)
        let object = AuditEvent.Object(ObjectKind.authenticationMethod.rawValue, "recovery-code|\(user)")
        if hashes.isEmpty {
            try change.record(.removed, .authenticationMethod, object.id, user: user)
        } else {
            try change.transaction.record(change.context.event(.created, object, user: user, as: .recoveryCodesMade))
        }
    }
}

extension Managers {
    package var recoveryCodes: ManageRecoveryCodes {
        ManageRecoveryCodes(store: store, hashing: hashing, random: random)
    }
}
