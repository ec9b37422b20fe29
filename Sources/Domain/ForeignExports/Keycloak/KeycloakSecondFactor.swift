import Primitives

/// The second factor that a realm's browser flow asks for.
enum KeycloakSecondFactor: Int, Comparable {
    case never, whenEnrolled, always

    static func < (one: KeycloakSecondFactor, other: KeycloakSecondFactor) -> Bool { one.rawValue < other.rawValue }

    /// The value of `multi_factor`.
    var setting: String {
        switch self {
        case .never: "never"
        case .whenEnrolled: "when-enrolled"
        case .always: "always"
        }
    }

    private static let authenticators: Set<String> = [
        "auth-otp-form", "webauthn-authenticator", "auth-recovery-authn-code-form", "auth-conditional-otp-form",
    ]
    /// Flows within flows that are followed. Keycloak's own are five deep.
    private static let depthLimit = 16

    /// Reads the flows of an export. A realm whose browser flow is not in it has Keycloak's own, which asks people who
    /// have a factor.
    init(flows: [JSONValue], browser: String) {
        var named: [String: JSONValue] = [:]
        for flow in flows { named[flow["alias"]?.stringValue ?? ""] = flow }
        guard let executions = named[browser]?["authenticationExecutions"]?.arrayValue, !executions.isEmpty else {
            self = .whenEnrolled
            return
        }
        self = Self.strongest(of: executions, named, depth: 0)
    }

    private static func strongest(
        of executions: [JSONValue], _ flows: [String: JSONValue], depth: Int
    ) -> KeycloakSecondFactor {
        guard depth < depthLimit else { return .whenEnrolled }
        return executions.map { execution in
            let requirement = execution["requirement"]?.stringValue ?? ""
            if requirement == "DISABLED" { return .never }
            if let name = execution["flowAlias"]?.stringValue, let flow = flows[name] {
                let inner = strongest(of: flow["authenticationExecutions"]?.arrayValue ?? [], flows, depth: depth + 1)
                return requirement == "CONDITIONAL" ? min(inner, .whenEnrolled) : inner
            }
            let name = execution["authenticator"]?.stringValue ?? ""
            guard authenticators.contains(name) else { return .never }
            return requirement == "REQUIRED" && name != "auth-conditional-otp-form" ? .always : .whenEnrolled
        }.max() ?? .never
    }
}
