import AuthorizationCore
import Configuration

/// Removes an object and ignores that it does not exist, so that a client can repeat a request whose answer was lost.
func removing(_ kind: ObjectKind, _ remove: () async throws -> Void) async throws {
    do {
        try await remove()
    } catch AdministrationFailure.unknown(kind) {}
}
