package import Primitives

/// Data that applications keep with a user.
package struct UserMetadata: Sendable, Equatable {
    /// Preferences, which the user may read and change.
    package var user: JSONObject
    /// Data of the applications: plans, entitlements.
    package var app: JSONObject

    package init(user: JSONObject = [:], app: JSONObject = [:]) {
        self.user = user
        self.app = app
    }

    /// Maximum bytes of `user`, and of `app`, as JSON.
    package static let sizeLimit = 65_536
    /// Maximum values in each, without objects and arrays.
    package static let valueLimit = 1000
    /// Maximum nesting of each. Its members are the first level.
    package static let depthLimit = 16

    /// Reason that an object cannot be stored as metadata. Nil if it can.
    package static func problem(with object: JSONObject) -> String? {
        if JSONWriter.bytes(.object(object)).count > sizeLimit { return "must have at most \(sizeLimit) bytes" }
        var count = 0
        return problem(with: .object(object), depth: 0, &count)
    }

    private static func problem(with value: JSONValue, depth: Int, _ count: inout Int) -> String? {
        func inner(_ values: some Sequence<JSONValue>) -> String? {
            guard depth < depthLimit else { return "must not be nested more than \(depthLimit) levels deep" }
            for value in values {
                if let problem = problem(with: value, depth: depth + 1, &count) { return problem }
            }
            return nil
        }
        // Engines truncate texts at U+0000, or refuse them.
        let nul = "must not hold the character U+0000"
        switch value {
        case .object(let object):
            if object.contains(where: { $0.name.utf8.contains(0) }) { return nul }
            return inner(object.members.lazy.map(\.value))
        case .array(let elements): return inner(elements)
        case .string(let text) where text.utf8.contains(0): return nul
        case .string, .number, .bool, .null:
            count += 1
            return count > valueLimit ? "must have at most \(valueLimit) values" : nil
        }
    }
}

extension UserMetadata {
    /// Value by which users are searched.
    package struct Attribute: Sendable, Hashable {
        package enum Value: Sendable, Hashable {
            /// Also `true` and `false`.
            case text(String)
            case number(Double)
        }

        /// `app_metadata.plan.name`, without the indices of arrays.
        package let path: String
        package let value: Value

        /// Prefix of all paths in the applications' own metadata.
        package static let appPrefix = "app_metadata."
        /// Prefix of all paths in the user's metadata.
        package static let userPrefix = "user_metadata."
    }

    /// Every value once. Null, empty objects and empty arrays have none.
    package var attributes: Set<Attribute> {
        var found: Set<Attribute> = []
        func add(_ value: JSONValue, _ path: String) {
            switch value {
            case .object(let object): for (name, value) in object { add(value, "\(path).\(name)") }
            case .array(let elements): for value in elements { add(value, path) }
            case .string(let text): found.insert(Attribute(path: path, value: .text(text)))
            case .bool(let bool): found.insert(Attribute(path: path, value: .text(bool ? "true" : "false")))
            case .number(let number):
                let double = number.doubleValue
                if double.isFinite { found.insert(Attribute(path: path, value: .number(double))) }
            case .null: break
            }
        }
        for (name, value) in user { add(value, Attribute.userPrefix + name) }
        for (name, value) in app { add(value, Attribute.appPrefix + name) }
        return found
    }
}
