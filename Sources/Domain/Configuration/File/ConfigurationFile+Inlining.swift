import AuthorizationCore
package import Primitives
import X509

extension ConfigurationFile {
    /// Places in a tenant's entry where a file may name another source of a text. An asterisk is any member or element.
    static let sourcePlaces: [[String]] =
        [
            ["clients", "*", "client_secret"], ["users", "*", "password"], ["users", "*", "initial_password"],
            ["push", "*", "*"], ["email_provider", "credentials", "*"], ["email_templates", "*", "body"],
        ] + LoginConnection.secretPaths.map { ["connections", "*"] + $0 }

    /// The document with the texts themselves in place of `{"env": …}` and `{"file": …}`, for a server elsewhere, which
    /// has neither. A source that is not found stays.
    package static func inlining(_ document: JSONValue, secret: (SecretSource) -> SecretBytes?) -> JSONValue {
        sourcePlaces.reduce(document) { document, place in
            replacing(at: (["tenants", "*"] + place)[...], in: document) { value in
                guard let source = SecretSource(value), let bytes = secret(source)?.bytes else { return value }
                return .string(PKCS12File.text(bytes))
            }
        }
    }

    private static func replacing(
        at place: ArraySlice<String>, in value: JSONValue, _ change: (JSONValue) -> JSONValue
    ) -> JSONValue {
        guard let name = place.first else { return change(value) }
        let rest = place.dropFirst()
        switch value {
        case .array(let elements) where name == "*": return .array(elements.map { replacing(at: rest, in: $0, change) })
        case .object(let object):
            var changed = object
            for (member, inner) in object where name == "*" || name == member {
                changed[member] = replacing(at: rest, in: inner, change)
            }
            return .object(changed)
        default: return value
        }
    }
}

extension ConfigurationFile.SecretSource {
    /// Nil unless the value is an object that names an environment variable or a file.
    init?(_ value: JSONValue) {
        guard value.objectValue?.count == 1 else { return nil }
        if let variable = value["env"]?.stringValue {
            self = .environment(variable)
        } else if let path = value["file"]?.stringValue {
            self = .file(path)
        } else {
            return nil
        }
    }
}
