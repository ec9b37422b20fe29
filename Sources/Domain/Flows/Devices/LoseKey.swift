import Audit
package import AuthorizationCore
package import GuardianWire
import Primitives

/// Hears from a phone that its key is gone, and sends nothing to it from then on.
///
/// The phone proves itself by a secret of its enrolment that does nothing else, and works once. A phone that still has
/// its key undoes it by its next signed request.
package struct LoseKey: Sendable {
    let store: any EnrollmentStore
    let hashing: any Hashing

    /// Throws `DeviceFailure` for an unknown device and a wrong or used secret alike.
    package func report(_ id: DeviceID, _ farewell: FarewellAuthorization, context: RequestContext) async throws {
        let event = context.event(.deviceKeyLost, charge: .once(.device), device: id)
        let hash = hashing.sha256(Array(farewell.secret.utf8))
        // Strangers wait for no turn to write.
        guard try await store.device(id, tenant: context.tenant.id) != nil,
            try await store.loseKey(of: id, farewell: hash, tenant: context.tenant.id, event: event)
        else {
            throw DeviceFailure.enrollmentNotFound
        }
    }
}
