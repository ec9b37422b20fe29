package import Primitives

/// `authorization_details` (RFC 9396 clause 2): an array of objects that each name their `type`, within limits.
package struct AuthorizationDetails: Sendable, Equatable {
    /// Sizes that a tenant accepts. The defaults are Auth0's.
    package struct Limits: Sendable, Equatable {
        /// Maximum bytes of the whole parameter.
        package var bytes = 5 * 1024
        /// Maximum objects in the array.
        package var entries = 5
        /// Maximum members of an object.
        package var properties = 10
        /// Maximum characters of a name.
        package var nameLength = 255
        /// Maximum characters of a string or number.
        package var valueLength = 255
        /// Maximum nesting of objects and arrays. The entry is the first level.
        package var depth = 5

        package init() {}
    }

    package struct Entry: Sendable, Equatable {
        package let type: String
        package let object: JSONObject
    }

    package let entries: [Entry]

    package var types: [String] { entries.map(\.type) }
    package var json: JSONValue { .array(entries.map { .object($0.object) }) }

    package init(parsing text: String, limits: Limits = Limits()) throws(OAuthError) {
        guard text.utf8.count <= limits.bytes else {
            throw Self.failure("is \(text.utf8.count) bytes long; at most \(limits.bytes) are accepted")
        }
        let value: JSONValue
        do {
            value = try JSONReader.parse(text, depthLimit: limits.depth + 1)
        } catch .tooDeep {
            throw Self.failure(
                "has an entry with more than \(limits.depth) levels of objects and arrays, itself being the first")
        } catch {
            throw OAuthError(.invalidAuthorizationDetails, error.text(of: "authorization_details"))
        }
        try self.init(value, limits: limits)
    }

    /// `limits` nil accepts a stored value that was validated before.
    package init(_ value: JSONValue, limits: Limits?) throws(OAuthError) {
        guard let array = value.arrayValue else {
            guard value.objectValue != nil else { throw Self.failure("must be a JSON array of objects") }
            throw Self.failure("must be a JSON array of objects; put brackets around the one object")
        }
        guard !array.isEmpty else {
            throw Self.failure("is an empty array; name at least one object, or leave the parameter out")
        }
        if let limits, array.count > limits.entries {
            throw Self.failure("has \(array.count) entries; at most \(limits.entries) are accepted")
        }
        var entries: [Entry] = []
        for (index, element) in array.enumerated() {
            guard let object = element.objectValue else { throw Self.failure("[\(index)] must be an object") }
            guard let type = object["type"]?.stringValue, !type.isEmpty else {
                throw Self.failure("[\(index)] must have a 'type' that is a string")
            }
            if let limits { try Self.check(element, at: index, limits) }
            entries.append(Entry(type: type, object: object))
        }
        self.entries = entries
    }

    private static func check(_ value: JSONValue, at index: Int, _ limits: Limits) throws(OAuthError) {
        switch value {
        case .object(let object):
            guard object.count <= limits.properties else {
                throw failure("[\(index)] has an object with \(object.count) properties; at most \(limits.properties)")
            }
            for (name, member) in object {
                guard (1...limits.nameLength).contains(name.utf8.count), name.utf8.allSatisfy(isNameByte) else {
                    throw failure(
                        "[\(index)] has a property whose name is not 1 to \(limits.nameLength) of a-z A-Z 0-9 _ . -")
                }
                try check(member, at: index, limits)
            }
        case .array(let elements): for element in elements { try check(element, at: index, limits) }
        case .string(let text):
            guard text.unicodeScalars.count <= limits.valueLength, !text.utf8.contains(0) else {
                throw failure("[\(index)] has a text of more than \(limits.valueLength) characters or with a NUL")
            }
        case .number(let number):
            guard number.literal.utf8.count <= limits.valueLength else {
                throw failure("[\(index)] has a number that is too long")
            }
            // Phones and APIs that read numbers as doubles could not read the request.
            guard number.doubleValue.isFinite else {
                throw failure("[\(index)] has a number beyond the range of a double")
            }
        case .bool, .null: break
        }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"): true
        default: false
        }
    }

    /// `problem` names the entry and the rule.
    package static func failure(_ problem: ErrorDescription) -> OAuthError {
        let separator: ErrorDescription = problem.text.hasPrefix("[") ? "" : " "
        return OAuthError(.invalidAuthorizationDetails, "authorization_details\(separator)\(problem)")
    }
}
