import Primitives

/// Reads one object's members. Failures name their paths.
struct Members {
    let object: JSONObject
    let path: String

    init(_ value: JSONValue, path: String = "") throws(GuardianWireFailure) {
        guard let object = value.objectValue else {
            throw .invalid(path.isEmpty ? "the body" : path, expected: "an object")
        }
        self.object = object
        self.path = path
    }

    init(parsing bytes: [UInt8]) throws(GuardianWireFailure) {
        let value: JSONValue
        do { value = try JSONReader.parse(bytes) } catch { throw .notJSON }
        try self.init(value)
    }

    func name(_ member: String) -> String { path.isEmpty ? member : "\(path).\(member)" }

    /// The member. Nil if absent or null.
    func value(_ member: String) -> JSONValue? {
        guard let value = object[member], !value.isNull else { return nil }
        return value
    }

    func isNull(_ member: String) -> Bool { object[member]?.isNull == true }

    func required(_ member: String) throws(GuardianWireFailure) -> JSONValue {
        guard let value = value(member) else { throw .missing(name(member)) }
        return value
    }

    func string(_ member: String) throws(GuardianWireFailure) -> String {
        guard let text = try required(member).stringValue, !text.isEmpty else {
            throw .invalid(name(member), expected: "a string that is not empty")
        }
        return text
    }

    func optionalString(_ member: String) throws(GuardianWireFailure) -> String? {
        guard let value = value(member) else { return nil }
        guard let text = value.stringValue else { throw .invalid(name(member), expected: "a string") }
        return text
    }

    func strings(_ member: String) throws(GuardianWireFailure) -> [String] {
        let texts = try required(member).arrayValue?.map(\.stringValue)
        guard let texts, !texts.contains(nil) else { throw .invalid(name(member), expected: "a list of strings") }
        return texts.compactMap { $0 }
    }

    func flag(_ member: String) throws(GuardianWireFailure) -> Bool {
        guard let value = try required(member).boolValue else {
            throw .invalid(name(member), expected: "true or false")
        }
        return value
    }

    func whole(_ member: String) throws(GuardianWireFailure) -> Int {
        guard let value = try required(member).intValue else {
            throw .invalid(name(member), expected: "a whole number")
        }
        return value
    }

    func members(_ member: String) throws(GuardianWireFailure) -> Members {
        try Members(try required(member), path: name(member))
    }

    func optionalMembers(_ member: String) throws(GuardianWireFailure) -> Members? {
        guard let value = value(member) else { return nil }
        return try Members(value, path: name(member))
    }
}
