import Primitives

/// Reason that a record or a receipt is unreadable. Names members, never their values.
package enum ApprovalFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The named text is no JSON (RFC 8259), or has a name twice.
    case notJSON(String)
    case missing(String)
    /// The member, named by its path from the outermost object, is not as expected.
    case invalid(String, expected: String)

    package var description: String {
        switch self {
        case .notJSON(let name): "\(name) is not valid JSON"
        case .missing(let name): "\(name) is missing"
        case .invalid(let name, let expected): "\(name) must be \(expected)"
        }
    }
}

/// Reads an object's members. Failures name their paths.
struct ApprovalMembers {
    let object: JSONObject
    let path: String

    init(_ value: JSONValue, path: String) throws(ApprovalFailure) {
        guard let object = value.objectValue else { throw .invalid(path, expected: "an object") }
        self.object = object
        self.path = path
    }

    init(parsing text: String, path: String) throws(ApprovalFailure) {
        let value: JSONValue
        do { value = try JSONReader.parse(text) } catch { throw .notJSON(path) }
        try self.init(value, path: path)
    }

    func name(_ member: String) -> String { "\(path).\(member)" }

    func required(_ member: String) throws(ApprovalFailure) -> JSONValue {
        guard let value = object[member] else { throw .missing(name(member)) }
        return value
    }

    func string(_ member: String) throws(ApprovalFailure) -> String {
        guard let text = try required(member).stringValue else { throw .invalid(name(member), expected: "a text") }
        return text
    }

    func optionalString(_ member: String) throws(ApprovalFailure) -> String? {
        object[member] == nil ? nil : try string(member)
    }

    /// Throws unless the text is one of the type's values.
    func choice<Choice: RawRepresentable & CaseIterable>(
        _ member: String
    ) throws(ApprovalFailure) -> Choice where Choice.RawValue == String {
        guard let choice = Choice(rawValue: try string(member)) else {
            let values = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalid(name(member), expected: "one of \(values)")
        }
        return choice
    }

    func seconds(_ member: String) throws(ApprovalFailure) -> Timestamp {
        guard let seconds = try required(member).intValue, (0...253_402_300_799).contains(seconds) else {
            throw .invalid(name(member), expected: "whole seconds since 1970")
        }
        return Timestamp(milliseconds: Int64(seconds) * 1000)
    }

    func date(_ member: String) throws(ApprovalFailure) -> Timestamp {
        guard let date = Timestamp(iso8601: try string(member)) else {
            throw .invalid(name(member), expected: "a date-time (RFC 3339)")
        }
        return date
    }

    func members(_ member: String) throws(ApprovalFailure) -> ApprovalMembers {
        try ApprovalMembers(try required(member), path: name(member))
    }

    func optionalMembers(_ member: String) throws(ApprovalFailure) -> ApprovalMembers? {
        object[member] == nil ? nil : try members(member)
    }

    /// The objects of an array.
    func array(_ member: String) throws(ApprovalFailure) -> [ApprovalMembers] {
        guard let elements = try required(member).arrayValue else {
            throw .invalid(name(member), expected: "an array of objects")
        }
        var objects: [ApprovalMembers] = []
        for (index, element) in elements.enumerated() {
            objects.append(try ApprovalMembers(element, path: "\(name(member))[\(index)]"))
        }
        return objects
    }

    func optionalArray(_ member: String) throws(ApprovalFailure) -> [ApprovalMembers] {
        object[member] == nil ? [] : try array(member)
    }
}
