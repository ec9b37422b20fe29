package import AuthorizationCore

/// Error of an administrative operation, which changed nothing.
package enum AdministrationFailure: Error, Sendable, Equatable {
    case unknown(ObjectKind)
    /// Another object has the same value.
    case conflict(ObjectKind, same: String)
    case invalid([DocumentProblem])
    /// Reason, and a possible alternative.
    case unsupported(String)
    /// The action grants Management API scopes that the administrator lacks; sorted.
    case beyondOwnScopes(action: String, missing: [String])
    /// A budget is used up. There is room again after `wait`.
    case tooMany(String, wait: Duration)
    /// As many jobs of the kind as may be are unfinished.
    case tooManyJobs(limit: Int)

    package static func invalid(_ path: String, _ message: String) -> AdministrationFailure {
        .invalid([DocumentProblem(path: path, message: message)])
    }
}
