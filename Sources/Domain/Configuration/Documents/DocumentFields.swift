package import Primitives

/// Reads an object's members strictly: checks type and range, and refuses unknown members.
package final class DocumentFields {
    package let path: String
    package let problems: Problems
    private var object: JSONObject
    /// Member names from the root to here. Nil within a list.
    private let place: [String]?
    private var known: [String] = []
    /// A required member is missing or wrong, so the reader may have stopped early.
    private var isIncomplete = false

    /// Nil, with a problem, if `value` is no object.
    package init?(_ value: JSONValue, path: String, problems: Problems, place: [String]? = []) {
        guard let object = value.objectValue else {
            problems.add(path, "must be an object")
            return nil
        }
        self.object = object
        self.path = path
        self.problems = problems
        self.place = place
    }

    /// Unread members of an object that are reported: each is compared with all that are known.
    private static let unknownLimit = 100

    /// Reports the unread members. If the object was not read to its end, reports only likely misspellings.
    package func finish() {
        let known = Set(known)
        var unknown = 0
        for (name, value) in object where !known.contains(name) && !problems.keep(value, name, in: place) {
            unknown += 1
            guard unknown <= Self.unknownLimit else { break }
            let meant = Spelling.nearest(to: name, in: known)
            if isIncomplete, meant == nil { continue }
            problems.add(child(name), Spelling.unknownField(name, among: known))
        }
    }

    /// Takes the member of an earlier name, with a warning.
    func rename(_ former: String, to name: String) {
        guard let value = object[former] else { return }
        object[former] = JSONValue?.none
        problems.warn(child(former), "is called \(name) now")
        if object[name] == nil { object[name] = value } else { problem(former, "must be omitted with \(name)") }
    }

    package func child(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    package func problem(_ name: String, _ message: String) { problems.add(child(name), message) }

    /// The raw member. Null counts as absent.
    package func value(_ name: String) -> JSONValue? {
        if !known.contains(name) { known.append(name) }
        guard let value = object[name], !value.isNull else { return nil }
        return value
    }

    func read<Value>(_ name: String, _ expected: String, _ take: (JSONValue) -> Value?) -> Value? {
        guard let value = value(name) else { return nil }
        guard let taken = take(value) else {
            problem(name, "must be \(expected)")
            return nil
        }
        return taken
    }

    /// A text of 1 to `limit` bytes without control characters, except line breaks if allowed.
    package func string(_ name: String, limit: Int = 255, allowsLines: Bool = false) -> String? {
        read(name, "a text of 1 to \(limit) bytes without control characters") { value in
            guard let text = value.stringValue, (1...limit).contains(text.utf8.count),
                text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || allowsLines && ($0 == 0x0A || $0 == 0x0D) })
            else { return nil }
            return text
        }
    }

    package func requiredString(_ name: String, limit: Int = 255, allowsLines: Bool = false) -> String? {
        required(name) { $0.string($1, limit: limit, allowsLines: allowsLines) }
    }

    /// A required member. If `read` returns nil, it has noted a problem.
    package func required<Value>(_ name: String, _ read: (DocumentFields, String) -> Value?) -> Value? {
        if value(name) == nil { problem(name, "is required") }
        let found = read(self, name)
        if found == nil { isIncomplete = true }
        return found
    }

    package func flag(_ name: String) -> Bool? { read(name, "true or false", \.boolValue) }

    package func integer(_ name: String, _ range: ClosedRange<Int>) -> Int? {
        read(name, "a whole number from \(range.lowerBound) to \(range.upperBound)") { value in
            value.intValue.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    package func strings(_ name: String, limit: Int = 255) -> [String]? {
        read(name, "a list of texts of 1 to \(limit) bytes") { value in
            value.stringsValue.flatMap { list in list.allSatisfy { (1...limit).contains($0.utf8.count) } ? list : nil }
        }
    }

    package func choice<Value: RawRepresentable & CaseIterable>(
        _ name: String, of type: Value.Type = Value.self
    ) -> Value? where Value.RawValue == String {
        let words = Value.allCases.map(\.rawValue).joined(separator: ", ")
        return read(name, "one of \(words)") { $0.stringValue.flatMap(Value.init(rawValue:)) }
    }

    /// A list of objects. An absent list is empty.
    package func objects(_ name: String) -> [DocumentFields] {
        guard let value = value(name) else { return [] }
        guard let list = value.arrayValue else {
            problem(name, "must be a list")
            return []
        }
        return list.enumerated().compactMap { index, element in
            DocumentFields(element, path: "\(child(name))[\(index)]", problems: problems, place: nil)
        }
    }

    package func object(_ name: String) -> DocumentFields? {
        value(name).flatMap {
            DocumentFields($0, path: child(name), problems: problems, place: place(of: name))
        }
    }

    /// Place of a member that is an object.
    package func place(of name: String) -> [String]? { place.map { $0 + [name] } }

    /// Maximum bytes of members that are only stored.
    static let additionalLimit = 32_768
}
