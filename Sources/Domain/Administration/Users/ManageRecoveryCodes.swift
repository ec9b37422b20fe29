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

    /// Replaces all codes by one. A user without a phone or an authenticator app has nothing that a code
    /// could take the place of.
    package func renew(of user: UserID, for context: AdministrativeContext) async throws -> RecoveryCode {
        let code = RecoveryCode(random)
        try await store.change(for: context) { change in
            let owner = try change.user(user).orUnknown(.user)
            guard try change.reader.hasPhoneOrApp(user, in: context.tenant) else {
                throw AdministrationFailure.unsupported(
                    "The user has no phone and no authenticator app; make an enrolment ticket for a phone")
            }
            try Self.replace(by: [code.hash(hashing)], of: owner, change)
        }
        return code
    }

    package func removeAll(of user: UserID, for context: AdministrativeContext) async throws {
        try await store.change(for: context) { change in
            try Self.replace(by: [], of: change.user(user).orUnknown(.user), change)
        }
    }

    static func replace(by hashes: [[UInt8]], of owner: AdministeredUser, _ change: UserChange) throws {
        try owner.replaceRecoveryCodes(by: hashes)
        let object = AuditEvent.Object(ObjectKind.authenticationMethod.rawValue, "recovery-code|\(owner.id)")
        if hashes.isEmpty {
            try change.record(.removed, .authenticationMethod, object.id, user: owner.id)
        } else {
            try change.record(change.context.event(.created, object, user: owner.id, as: .recoveryCodesMade))
        }
    }
}

extension Managers {
    package var recoveryCodes: ManageRecoveryCodes {
        ManageRecoveryCodes(store: store, hashing: hashing, random: random)
    }
}
