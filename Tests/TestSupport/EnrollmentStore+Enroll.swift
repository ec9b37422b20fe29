package import Audit
package import AuthorizationCore
package import Flows
package import Primitives

extension EnrollmentStore {
    /// Enrols a device without a farewell and without a mail.
    package func enroll(
        _ device: Device, tokenHash: [UInt8], sealedTOTP: [UInt8]?, ticket: [UInt8], now: Timestamp, event: AuditEvent
    ) async throws -> Bool {
        try await enroll(
            NewEnrollment(device, tokenHash: tokenHash, sealedTOTP: sealedTOTP, ticket: ticket), now: now,
            event: event)
    }
}
