import JOSE
import Primitives

/// Reason that a record or a receipt is unreadable. Names members, never their values.
package enum ApprovalFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The named text is no JSON (RFC 8259), or has a name twice.
    case notJSON(String)
    case missing(String)
    /// The member, named by its path from the outermost object, is not as expected.
    case invalid(String, expected: String)
    /// The member of a receipt has another value than the record that the receipt contains.
    case disagrees(String)

    package var description: String {
        switch self {
        case .notJSON(let name): "\(name) is not valid JSON"
        case .missing(let name): "\(name) is missing"
        case .invalid(let name, let expected): "\(name) must be \(expected)"
        case .disagrees(let name): "\(name) must be that of the record"
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

    init(parsing bytes: [UInt8], path: String) throws(ApprovalFailure) {
        let value: JSONValue
        do { value = try JSONReader.parse(bytes) } catch { throw .notJSON(path) }
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

    func optionalFlag(_ member: String) throws(ApprovalFailure) -> Bool? {
        guard let value = object[member] else { return nil }
        guard let flag = value.boolValue else { throw .invalid(name(member), expected: "true or false") }
        return flag
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

    /// A number without fraction and exponent. A date has one spelling only, so that all readers agree on it.
    func seconds(_ member: String) throws(ApprovalFailure) -> Timestamp {
        guard case .number(let number) = try required(member), let seconds = Int64(number.literal),
            String(seconds) == number.literal, (0...253_402_300_799).contains(seconds)
        else { throw .invalid(name(member), expected: "whole seconds since 1970") }
        return Timestamp(seconds: seconds)
    }

    /// A date as `Timestamp.iso8601` writes it.
    func date(_ member: String) throws(ApprovalFailure) -> Timestamp {
        let text = try string(member)
        guard let date = Timestamp(iso8601: text), date.iso8601 == text, date.milliseconds >= 0 else {
            throw .invalid(name(member), expected: "a date since 1970 such as 2026-11-20T10:00:00.000Z")
        }
        return date
    }

    func publicKey(_ member: String) throws(ApprovalFailure) -> JWK {
        let value = try required(member)
        do { return try JWK(value) } catch {
            throw .invalid(name(member), expected: "a public key (RFC 7517)")
        }
    }

    func bytes(_ member: String) throws(ApprovalFailure) -> [UInt8] {
        guard let bytes = Base64URL.decode(try string(member)) else {
            throw .invalid(name(member), expected: "base64url without padding")
        }
        return bytes
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

extension String {
    /// True for the same UTF-8. `==` also holds for other spellings of the same characters, which have other digests.
    func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
