import AuthorizationCore
package import JSONSchema
import OAuthWire
package import Primitives

/// JSON Schema, reader and writer of one kind of value.
package struct FieldType<Value>: Sendable {
    package let shape: Shape
    /// The shape in answers, which have no null. Nil means the same.
    private let answer: Shape?
    /// Type and range for docs/apply.md. Empty if the default shows them.
    let words: String
    /// Members of the value, if docs/apply.md lists them in the same table.
    let rows: [FieldRow]
    /// Returns nil if the member is absent or wrong. Reports problems.
    package let read: @Sendable (DocumentFields, String) -> Value?
    /// Returns nil if the document omits the member.
    let write: @Sendable (Value) -> JSONValue?

    package init(
        _ shape: Shape, answer: Shape? = nil, _ words: String, rows: [FieldRow] = [],
        read: @escaping @Sendable (DocumentFields, String) -> Value?,
        write: @escaping @Sendable (Value) -> JSONValue?
    ) {
        self.shape = shape
        self.answer = answer
        self.words = words
        self.rows = rows
        self.read = read
        self.write = write
    }

    func shape(_ use: FieldUse) -> Shape { use == .whole ? answer ?? shape : shape }

    /// The same value as another Swift type.
    package func mapped<Other>(
        _ make: @escaping @Sendable (Value) -> Other?, _ unmake: @escaping @Sendable (Other) -> Value?
    ) -> FieldType<Other> {
        FieldType<Other>(shape, answer: answer, words, rows: rows) { [read] in
            read($0, $1).flatMap(make)
        } write: { [write] in
            unmake($0).flatMap(write)
        }
    }

    /// Omits such values from documents.
    package func omitted(if isOmitted: @escaping @Sendable (Value) -> Bool) -> FieldType {
        FieldType(shape, answer: answer, words, rows: rows, read: read) { [write] in isOmitted($0) ? nil : write($0) }
    }
}

extension FieldType where Value == String {
    /// A text without control characters. `length` is in bytes. Documents omit an empty text.
    package static func text(_ length: ClosedRange<Int> = 1...255) -> FieldType {
        let least = max(1, length.lowerBound)
        return FieldType(
            .text(length), length == 1...255 ? "text" : "\(least) to \(length.upperBound) bytes",
            read: { $0.string($1, limit: length.upperBound) }, write: { $0.isEmpty ? .none : .string($0) })
    }

    package static var secureURL: FieldType {
        .parsed(
            .text(0...2048), "`https` URL", "must be an https URL without a fragment",
            { $0.hasPrefix("https://") && EndpointURL($0) != nil ? $0 : nil }, write: { $0 })
    }
}

extension FieldType {
    /// A text of 1 to `limit` bytes that `parse` accepts. `rule` is the problem of others.
    static func parsed(
        _ shape: Shape, _ words: String, limit: Int = 2048, _ rule: String,
        _ parse: @escaping @Sendable (String) -> Value?, write: @escaping @Sendable (Value) -> String
    ) -> FieldType {
        FieldType(shape, words) { fields, name in
            guard let text = fields.string(name, limit: limit) else { return nil }
            let value = parse(text)
            if value == nil { fields.problem(name, rule) }
            return value
        } write: {
            .string(write($0))
        }
    }

    /// A list of such texts. Documents omit an empty list.
    static func parsed<Element>(
        list count: ClosedRange<Int>, _ words: String, _ rule: String,
        _ parse: @escaping @Sendable (String) -> Element?, write: @escaping @Sendable (Element) -> String
    ) -> FieldType where Value == [Element] {
        FieldType(.list(.text(1...2048), count), words) { fields, name in
            fields.strings(name, limit: 2048)?.enumerated().compactMap { index, text in
                let element = parse(text)
                if element == nil { fields.problem("\(name)[\(index)]", rule) }
                return element
            }
        } write: {
            $0.isEmpty ? .none : JSONValue($0.map(write))
        }
    }
}

extension FieldType where Value == Bool {
    package static var flag: FieldType { FieldType(.boolean, "", read: { $0.flag($1) }, write: { .bool($0) }) }
}

extension FieldType where Value == Int {
    package static func integer(_ range: ClosedRange<Int>) -> FieldType {
        FieldType(
            .integer(range), "\(range.lowerBound) to \(range.upperBound)", read: { $0.integer($1, range) },
            write: { .number(JSONNumber($0)) })
    }

    /// A number, or its digits as a text, as in Auth0's examples.
    static func digits(_ range: ClosedRange<Int>) -> FieldType {
        let words = "\(range.lowerBound) to \(range.upperBound)"
        return FieldType(.anything, words) { fields, name in
            fields.read(name, "a whole number from \(words)") { value in
                let digits = value.stringValue.flatMap { text in
                    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
                }
                return (value.intValue ?? digits).flatMap { range.contains($0) ? $0 : nil }
            }
        } write: {
            .number(JSONNumber($0))
        }
    }
}

extension FieldType where Value == [String] {
    package static func texts(_ length: ClosedRange<Int> = 1...255, _ count: ClosedRange<Int>? = nil) -> FieldType {
        FieldType(
            .list(.text(length), count), "list of texts", read: { $0.strings($1, limit: length.upperBound) },
            write: { JSONValue($0) })
    }

    /// Redirect URIs as texts.
    package static func redirectTexts(_ count: ClosedRange<Int>) -> FieldType {
        FieldType<[RedirectURI]>.redirects(count).mapped(
            { $0.map(\.description) }, { $0.compactMap(RedirectURI.init(registering:)) })
    }
}

extension FieldType where Value == [RedirectURI] {
    static func redirects(_ count: ClosedRange<Int>) -> FieldType {
        .parsed(
            list: count, "list of absolute URIs",
            "must be an absolute URI without fragment and wildcard: https, http on 127.0.0.1, [::1] or localhost, or a "
                + "scheme of an app's own", { RedirectURI(registering: $0) }, write: { $0.description })
    }
}

extension FieldType where Value == [WebOrigin] {
    static var origins: FieldType {
        .parsed(
            list: 0...500, "list of origins",
            "must be an origin such as https://app.example.com, without a path, a slash at its end or a wildcard: https, "
                + "http on 127.0.0.1, [::1] or localhost, or a scheme of an app's own",
            { WebOrigin(registering: $0) }, write: { $0.description })
    }
}

extension FieldType where Value == JSONObject {
    /// Members that are only stored.
    package static var additional: FieldType {
        let limit = DocumentFields.additionalLimit
        let words = "object of at most \(limit) bytes"
        return FieldType(.anyObject, words) { fields, name in
            fields.read(name, "an \(words)") { value in
                value.objectValue.flatMap { JSONWriter.bytes(value).count <= limit ? $0 : nil }
            }
        } write: {
            $0.isEmpty ? .none : .object($0)
        }
    }
}

extension FieldType where Value: RawRepresentable & CaseIterable & Sendable, Value.RawValue == String {
    package static var choice: FieldType {
        let words = Value.allCases.map(\.rawValue)
        return FieldType(
            .choice(words), FieldRow.alternatives(words), read: { $0.choice($1) }, write: { .string($0.rawValue) })
    }
}

extension FieldType {
    /// With a `count`, words must differ.
    package static func choices<Element: RawRepresentable & CaseIterable & Sendable>(
        _ count: ClosedRange<Int>? = nil
    ) -> FieldType where Value == [Element], Element.RawValue == String {
        let words = Element.allCases.map(\.rawValue)
        return FieldType(
            .list(.choice(words), count, unique: count != nil), "list of \(FieldRow.alternatives(words, "and"))"
        ) { fields, name in
            guard let texts = fields.strings(name) else { return nil }
            let known = texts.enumerated().compactMap { index, text in
                let element = Element(rawValue: text)
                if element == nil {
                    fields.problem("\(name)[\(index)]", "must be one of \(words.joined(separator: ", "))")
                }
                return element
            }
            // Ignores a list with unknown words: its rest is meaningless.
            return known.count == texts.count ? known : nil
        } write: {
            JSONValue($0.map(\.rawValue))
        }
    }

    /// An object. `new` has the defaults of its members, and `settle` checks them against each other.
    package static func object(
        new: @autoclosure @escaping @Sendable () -> Value,
        settle: @escaping @Sendable (inout Value, DocumentFields) -> Void = { _, _ in }
    ) -> FieldType where Value: Described {
        FieldType(
            .object(Value.fields.members(.update), isOpen: true),
            answer: .object(Value.fields.members(.whole), isOpen: true), "object, see below"
        ) {
            $0.object($1).map { inner in
                var value = new()
                Value.fields.read(inner, into: &value)
                settle(&value, inner)
                inner.finish()
                return value
            }
        } write: {
            .object($0.document)
        }
    }

    /// A list of objects. `new` has the defaults of their members. Elements with problems are left out.
    package static func objects<Element: Described>(
        _ count: ClosedRange<Int>? = nil, new: @autoclosure @escaping @Sendable () -> Element,
        check: @escaping @Sendable (Element, DocumentFields) -> Void = { _, _ in }
    ) -> FieldType where Value == [Element] {
        FieldType(
            .list(.object(Element.fields.members(.create)), count), "list of objects",
            rows: Element.fields.rows(of: new(), "[].")
        ) { outer, name in
            outer.value(name).map { _ in
                outer.objects(name).compactMap { inner in
                    let before = inner.problems.list.count
                    var element = new()
                    Element.fields.read(inner, into: &element)
                    if inner.problems.list.count == before { check(element, inner) }
                    inner.finish()
                    return inner.problems.list.count == before ? element : nil
                }
            }
        } write: {
            .array($0.map { .object($0.document) })
        }
    }
}
