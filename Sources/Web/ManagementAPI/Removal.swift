import Administration
import Configuration

/// Removes something. Where there was none the answer is the same: who asked again, because an answer was lost, has what
/// they wanted.
func removing(_ kind: ObjectKind, _ remove: () async throws -> Void) async throws {
    do {
        try await remove()
    } catch AdministrationFailure.unknown(kind) {}
}
