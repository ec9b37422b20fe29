import Primitives

/// An object of an export. It keeps an account of its members: each is read, described or left over.
final class ForeignObject {
    let account: SubjectAccount
    /// Members from the subject's object down, with `[]` for an element of a list.
    let path: String
    /// The same with the elements' numbers, for failures.
    private let place: String
    private let object: JSONObject
    private var known: Set<String> = []

    init(_ value: JSONValue, _ account: SubjectAccount, path: String = "", place: String = "") throws(ForeignFailure) {
        guard let object = value.objectValue else {
            throw ForeignFailure(
                file: account.subject.file, path: place, "must be an object, not \(value.kindInWords)")
        }
        self.object = object
        self.account = account
        self.path = path
        self.place = place
    }

    var names: [String] { object.map(\.name) }

    private func child(_ name: String, of path: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    func failure(_ name: String, _ message: String) -> ForeignFailure {
        ForeignFailure(file: account.subject.file, path: child(name, of: place), message)
    }

    private func wrong(_ name: String, _ expected: String, _ value: JSONValue) -> ForeignFailure {
        failure(name, "must be \(expected), not \(value.kindInWords)")
    }

    /// The member, with its parts, as it is. Null counts as absent.
    func value(_ name: String) -> JSONValue? {
        known.insert(name)
        guard let value = object[name], !value.isNull else { return nil }
        account.read(child(name, of: path))
        return value
    }

    private func read<Value>(
        _ name: String, _ expected: String, _ take: (JSONValue) -> Value?
    ) throws(ForeignFailure) -> Value? {
        guard let value = value(name) else { return nil }
        guard let taken = take(value) else { throw wrong(name, expected, value) }
        return taken
    }

    func text(_ name: String) throws(ForeignFailure) -> String? {
        let text = try read(name, "a text", \.stringValue)
        if let text { try refuseMarker(text, at: name) }
        return text
    }

    /// A secret, which no report shows. Nil for a mask or a mark in its place.
    func secret(_ name: String) throws(ForeignFailure) -> String? {
        guard let text = try read(name, "a text", \.stringValue), !text.isEmpty else { return nil }
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw failure(name, "has control characters, such as a line break at its end; remove them")
        }
        let isMask = text.utf8.allSatisfy { $0 == UInt8(ascii: "*") } || text.hasPrefix("${vault.")
        return isMask || Auth0Keywords.marker(in: text) != nil || text == "_VALUE_NOT_SHOWN_" ? nil : text
    }

    func flag(_ name: String) throws(ForeignFailure) -> Bool? {
        try read(name, "true or false") { value in
            // Keycloak writes attributes as texts.
            value.boolValue ?? (["true": true, "false": false])[value.stringValue ?? ""]
        }
    }

    func number(_ name: String) throws(ForeignFailure) -> Int? {
        try read(name, "a whole number") { $0.intValue ?? $0.stringValue.flatMap(Int.init) }
    }

    func texts(_ name: String) throws(ForeignFailure) -> [String]? {
        let texts = try read(name, "a list of texts", \.stringsValue)
        for text in texts ?? [] { try refuseMarker(text, at: name) }
        return texts
    }

    /// A member that is an object, whose own members are accounted for one by one.
    func object(_ name: String) throws(ForeignFailure) -> ForeignObject? {
        known.insert(name)
        guard let value = object[name], !value.isNull else { return nil }
        return try ForeignObject(value, account, path: child(name, of: path), place: child(name, of: place))
    }

    /// A list of objects of the same subject.
    func objects(_ name: String) throws(ForeignFailure) -> [ForeignObject] {
        known.insert(name)
        guard let value = object[name], !value.isNull else { return [] }
        guard let list = value.arrayValue else { throw wrong(name, "a list of objects", value) }
        var objects: [ForeignObject] = []
        for (index, element) in list.enumerated() {
            objects.append(
                try ForeignObject(
                    element, account, path: child(name, of: path) + "[]",
                    place: "\(child(name, of: place))[\(index)]"))
        }
        return objects
    }

    /// The elements of a list that are subjects of their own.
    func subjects(
        _ name: String, _ kind: String, named member: String
    ) throws(ForeignFailure) -> [ForeignObject] {
        known.insert(name)
        guard let value = object[name], !value.isNull else { return [] }
        guard let list = value.arrayValue else { throw wrong(name, "a list of objects", value) }
        var subjects: [ForeignObject] = []
        for (index, element) in list.enumerated() {
            let place = "\(child(name, of: place))[\(index)]"
            let title = element[member]?.stringValue ?? place
            let subject = MoveReport.Subject(kind: kind, name: title, file: account.subject.file)
            subjects.append(
                try ForeignObject(element, SubjectAccount(subject, account.ledger), place: place))
        }
        return subjects
    }

    func required(_ name: String) throws(ForeignFailure) -> String {
        guard let text = try text(name), !text.isEmpty else { throw failure(name, "is required") }
        return text
    }

    // MARK: differences

    func differs(_ name: String, was: String, here: String, _ follows: String) {
        known.insert(name)
        account.differs(child(name, of: path), was: was, here: here, follows)
    }

    /// A member that has no effect here. Silent if the object has none.
    func absent(_ name: String, _ instead: String) {
        known.insert(name)
        guard let value = object[name] else { return }
        account.absent(child(name, of: path), instead, isIdle: value.isIdle)
    }

    /// Reports each member that nobody read.
    func finish(_ instead: String = "nothing here has this effect") {
        for (name, value) in object where !known.contains(name) {
            account.absent(child(name, of: path), instead, isIdle: value.isIdle)
        }
    }

    private func refuseMarker(_ text: String, at name: String) throws(ForeignFailure) {
        guard let marker = Auth0Keywords.marker(in: text) else { return }
        throw failure(
            name, "has the mark \(marker), which --keywords gives no value; give it one, or export without marks")
    }
}

extension JSONValue {
    /// True for a value that turns nothing on.
    var isIdle: Bool {
        switch self {
        case .null, .bool(false): true
        case .string(let text): text.isEmpty
        case .array(let elements): elements.isEmpty
        case .object(let object): object.isEmpty
        case .bool(true), .number: false
        }
    }

    /// The type in words. Never the value, which may be a secret.
    var kindInWords: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .string: "a text"
        case .array: "a list"
        case .object: "an object"
        }
    }
}
