import AuthorizationCore
package import JSONSchema
import OAuthWire
package import Primitives

/// JSON Schema, reader and writer of one kind of value.
package struct FieldType<Value>: Sendable {
    package let shape: Shape
    /// Type and range for docs/apply.md. Empty if the default shows them.
    let words: String
    /// Members of the value, if docs/apply.md lists them in the same table.
    let rows: [FieldRow]
    /// Returns nil if the member is absent or wrong. Reports problems.
    package let read: @Sendable (DocumentFields, String) -> Value?
    /// Returns nil if the document omits the member.
    let write: @Sendable (Value) -> JSONValue?

    package init(
        _ shape: Shape, _ words: String, rows: [FieldRow] = [],
        read: @escaping @Sendable (DocumentFields, String) -> Value?,
        write: @escaping @Sendable (Value) -> JSONValue?
    ) {
        self.shape = shape
        self.words = words
        self.rows = rows
        self.read = read
        self.write = write
    }

    /// The same value as another Swift type.
    package func mapped<Other>(
        _ make: @escaping @Sendable (Value) -> Other?, _ unmake: @escaping @Sendable (Other) -> Value?
    ) -> FieldType<Other> {
        FieldType<Other>(shape, words, rows: rows) { [read] in
            read($0, $1).flatMap(make)
        } write: { [write] in
            unmake($0).flatMap(write)
        }
    }

    /// Omits such values from documents.
    package func omitted(if isOmitted: @escaping @Sendable (Value) -> Bool) -> FieldType {
        FieldType(shape, words, rows: rows, read: read) { [write] in isOmitted($0) ? nil : write($0) }
    }
}

extension FieldType where Value == String {
    /// A text without control characters. `length` is in bytes. Documents omit an empty text.
    package static func text(_ length: ClosedRange<Int> = 1...255) -> FieldType {
        let least = max(1, length.lowerBound)
        return FieldType(
            .text(length), length == 1...255 ? "text" : "\(least) to \(length.upperBound) bytes"
        ) {
            $0.string($1, limit: length.upperBound)
        } write: {
            $0.isEmpty ? nil : .string($0)
        }
    }

    package static var secureURL: FieldType {
        FieldType(.text(0...2048), "`https` URL") {
            $0.secureURL($1)
        } write: {
            .string($0)
        }
    }
}

extension FieldType where Value == Bool {
    package static var flag: FieldType {
        FieldType(.boolean, "") {
            $0.flag($1)
        } write: {
            .bool($0)
        }
    }
}

extension FieldType where Value == Int {
    package static func integer(_ range: ClosedRange<Int>) -> FieldType {
        FieldType(.integer(range), "\(range.lowerBound) to \(range.upperBound)") {
            $0.integer($1, range)
        } write: {
            .number(JSONNumber($0))
        }
    }

    /// A number, or its digits as a text.
    package static func digits(_ range: ClosedRange<Int>) -> FieldType {
        let number = integer(range)
        return FieldType(.anything, number.words, read: { $0.numericText($1, range) }, write: number.write)
    }
}

extension FieldType where Value == [String] {
    package static func texts(_ length: ClosedRange<Int> = 1...255, _ count: ClosedRange<Int>? = nil) -> FieldType {
        FieldType(.list(.text(length), count), "list of texts") {
            $0.strings($1, limit: length.upperBound)
        } write: {
            JSONValue($0)
        }
    }

    /// Redirect URIs as texts.
    package static func redirectTexts(_ count: ClosedRange<Int>) -> FieldType {
        FieldType<[RedirectURI]>.redirects(count).mapped(
            { $0.map(\.description) }, { $0.compactMap(RedirectURI.init(registering:)) })
    }
}

extension FieldType where Value == [RedirectURI] {
    static func redirects(_ count: ClosedRange<Int>) -> FieldType {
        FieldType(.list(.text(1...2048), count), "list of absolute URIs") { fields, name in
            fields.value(name).map { _ in fields.redirects(name) }
        } write: {
            $0.isEmpty ? nil : JSONValue($0.map(\.description))
        }
    }
}

extension FieldType where Value == [WebOrigin] {
    static var origins: FieldType {
        FieldType(.list(.text(1...2048), 0...500), "list of origins") {
            $0.origins($1)
        } write: {
            $0.isEmpty ? nil : JSONValue($0.map(\.description))
        }
    }
}

extension FieldType where Value == JSONObject {
    /// Members that are only stored.
    package static var additional: FieldType {
        FieldType(.anyObject, "object of at most \(DocumentFields.additionalLimit) bytes") {
            $0.additional($1)
        } write: {
            $0.isEmpty ? nil : .object($0)
        }
    }
}

extension FieldType where Value: RawRepresentable & CaseIterable & Sendable, Value.RawValue == String {
    package static var choice: FieldType {
        let words = Value.allCases.map(\.rawValue)
        return FieldType(.choice(words), FieldRow.alternatives(words)) {
            $0.choice($1)
        } write: {
            .string($0.rawValue)
        }
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
        _ fields: Fields<Value>, new: @autoclosure @escaping @Sendable () -> Value,
        settle: @escaping @Sendable (inout Value, DocumentFields) -> Void = { _, _ in }
    ) -> FieldType {
        FieldType(.object(fields.members(.shown), isOpen: true), "object, see below") {
            $0.object($1).map { inner in
                var value = new()
                fields.read(inner, into: &value)
                settle(&value, inner)
                inner.finish()
                return value
            }
        } write: {
            .object(fields.document(of: $0))
        }
    }

    /// A list of objects. `new` has the defaults of their members. Elements with problems are left out.
    package static func objects<Element>(
        _ fields: Fields<Element>, _ count: ClosedRange<Int>? = nil,
        new: @autoclosure @escaping @Sendable () -> Element,
        check: @escaping @Sendable (Element, DocumentFields) -> Void = { _, _ in }
    ) -> FieldType where Value == [Element] {
        FieldType(
            .list(.object(fields.members(.create)), count), "list of objects", rows: fields.rows(of: new(), "[].")
        ) { outer, name in
            outer.value(name).map { _ in
                outer.objects(name).compactMap { inner in
                    let before = inner.problems.list.count
                    var element = new()
                    fields.read(inner, into: &element)
                    if inner.problems.list.count == before { check(element, inner) }
                    inner.finish()
                    return inner.problems.list.count == before ? element : nil
                }
            }
        } write: {
            .array($0.map { .object(fields.document(of: $0)) })
        }
    }
}
