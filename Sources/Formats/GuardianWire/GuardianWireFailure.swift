/// Reason that a Guardian message is unreadable. The text names members, never their values: some are secrets.
package enum GuardianWireFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The bytes are no JSON (RFC 8259).
    case notJSON
    case missing(String)
    /// The member, named by its path from the outermost object, is not as expected.
    case invalid(String, expected: String)

    package var description: String {
        switch self {
        case .notJSON: "the body is not valid JSON"
        case .missing(let name): "\(name) is required"
        case .invalid(let name, let expected): "\(name) must be \(expected)"
        }
    }
}
