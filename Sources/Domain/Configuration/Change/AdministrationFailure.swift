/// Why administration did not do what it was asked. Nothing was changed.
package enum AdministrationFailure: Error, Sendable, Equatable {
    case unknown(ObjectKind)
    /// Another one has the same value of that property.
    case conflict(ObjectKind, same: String)
    /// What is wrong with which field.
    case invalid([DocumentProblem])
    /// What cannot be done to this object, and what could be done instead.
    case unsupported(String)
    /// The action would give somebody scopes of the Management API that the one who asks has not; sorted.
    case beyondOwnScopes(action: String, missing: [String])

    package static func invalid(_ path: String, _ message: String) -> AdministrationFailure {
        .invalid([DocumentProblem(path: path, message: message)])
    }
}
