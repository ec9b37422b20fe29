import AuthorizationCore
import Configuration
package import Primitives

/// Members of bodies whose values nobody is shown, not even the person who typed them.
package enum SecretMembers {
    private static let names = Set(["password", "initial_password", "client_secret"])
        .union(LoginConnection.secretPaths.compactMap(\.last))
        .union(PushProvider.allCases.flatMap(\.secrets))
        .union(EmailProvider.allCases.flatMap(\.credentials).filter(\.isSecret).map(\.name))

    package static func contains(_ member: String) -> Bool { names.contains(member) }

    /// The value with another one in place of each secret.
    package static func replacing(in value: JSONValue, member: String? = nil, by other: (_ member: String) -> JSONValue)
        -> JSONValue
    {
        switch value {
        case .string where member.map(names.contains) ?? false: other(member ?? "")
        case .array(let elements): .array(elements.map { replacing(in: $0, by: other) })
        case .object(let object):
            .object(
                object.members.reduce(into: JSONObject()) { replaced, entry in
                    replaced[entry.name] = replacing(in: entry.value, member: entry.name, by: other)
                })
        default: value
        }
    }

    /// A variable of the shell for a secret: `CLIENT_SECRET`.
    package static func variable(_ member: String) -> String { member.uppercased() }
}
