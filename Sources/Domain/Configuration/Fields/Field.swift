package import JSONSchema
package import Primitives

/// A member of a document, described once: the reader, the writer, the schema of the Management API, the option of the
/// command line and the row of docs/apply.md follow from it.
package struct Field<Root>: Sendable {
    package let name: String
    /// Plain English for users: documents, OpenAPI descriptions and `--help`.
    package let text: String
    package let protection: Protection
    /// Earlier names, which are read with a warning.
    package private(set) var formerNames: [String] = []
    /// Type and range for docs/apply.md.
    private let words: String
    private let rows: [FieldRow]
    private var shape: @Sendable (FieldUse) -> Shape
    private(set) var isRequired = false
    /// Only in the file of `apply`. The Management API has its own operations for the member, or none.
    private(set) var isFileOnly = false
    /// Only in the Management API.
    private(set) var isAPIOnly = false
    /// True warns administrators who send the member.
    private var hasNoEffect = false
    /// True if the command line has an option for the member.
    package private(set) var hasOption = false
    /// Default in docs/apply.md. Nil means the default of the entity.
    private var preset: String?
    let read: @Sendable (DocumentFields, inout Root, _ isRequired: Bool) -> Void
    let write: @Sendable (Root, inout JSONObject) -> Void

    package init(
        _ name: String, protects protection: Protection, _ shape: Shape, words: String = "", _ text: String = "",
        rows: [FieldRow] = [],
        read: @escaping @Sendable (DocumentFields, inout Root, _ isRequired: Bool) -> Void = { _, _, _ in },
        write: @escaping @Sendable (Root, inout JSONObject) -> Void = { _, _ in }
    ) {
        self.name = name
        self.text = text
        self.protection = protection
        self.words = words
        self.shape = { _ in shape }
        self.rows = rows
        self.read = read
        self.write = write
    }

    /// An absent member leaves the default.
    package init<Value>(
        _ name: String, protects protection: Protection, _ type: FieldType<Value>,
        _ path: any WritableKeyPath<Root, Value> & Sendable, _ text: String = ""
    ) {
        self.init(name, protects: protection, type.shape, words: type.words, text, rows: type.rows) {
            fields, root, isRequired in
            let value = isRequired ? fields.required(name, type.read) : type.read(fields, name)
            if let value { root[keyPath: path] = value }
        } write: { root, document in
            document[name] = type.write(root[keyPath: path])
        }
        shape = { type.shape($0) }
    }

    /// An absent member is nil.
    package init<Value>(
        _ name: String, protects protection: Protection, _ type: FieldType<Value>,
        _ path: any WritableKeyPath<Root, Value?> & Sendable, _ text: String = ""
    ) {
        self.init(name, protects: protection, type.shape, words: type.words, text, rows: type.rows) { fields, root, _ in
            if let value = type.read(fields, name) { root[keyPath: path] = value }
        } write: { root, document in
            document[name] = root[keyPath: path].flatMap(type.write)
        }
        shape = { type.shape($0) }
    }

    /// A required member that the entity's initializer reads, and that never changes or only names the object.
    package static func key(
        _ name: String, _ type: FieldType<String>, _ text: String, _ key: @escaping @Sendable (Root) -> String
    ) -> Field {
        Field(
            name, protects: .nothing, type.shape, words: type.words, text, write: { $1[name] = .string(key($0)) }
        ).required
    }

    /// An object whose members are properties of `Root`. An empty object is not written.
    package static func group(
        _ name: String, protects protection: Protection, _ fields: Fields<Root>, _ text: String = ""
    ) -> Field {
        Field(
            name, protects: protection, .anyObject, text, rows: fields.rows(of: nil, "."),
            read: { outer, root, _ in
                guard let inner = outer.object(name) else { return }
                fields.read(inner, into: &root)
                inner.finish()
            },
            write: { root, document in
                let inner = fields.document(of: root)
                if !inner.isEmpty { document[name] = .object(inner) }
            }
        ).setting { $0.shape = { .object(fields.members($0), isOpen: true) } }
    }

    /// A member that the Management API only stores.
    package static func kept(_ name: String, _ shape: Shape, _ text: String) -> Field {
        Field(name, protects: .nothing, shape, text).apiOnly
    }

    private func setting(_ change: (inout Field) -> Void) -> Field {
        var copy = self
        change(&copy)
        return copy
    }

    package var required: Field { setting { $0.isRequired = true } }
    package var apiOnly: Field { setting { $0.isAPIOnly = true } }
    package var fileOnly: Field { setting { $0.isFileOnly = true } }
    package var option: Field { setting { $0.hasOption = true } }
    package func preset(_ text: String) -> Field { setting { $0.preset = text } }
    package func shaped(_ shape: Shape) -> Field { setting { $0.shape = { _ in shape } } }

    /// Taken for programs that send the member.
    package var withoutEffect: Field { setting { $0.hasNoEffect = true } }

    /// Reads the member also under an earlier name, for a year from the first release with the new one.
    package func formerly(_ name: String) -> Field { setting { $0.formerNames.append(name) } }

    /// Alternatives of the value, if it is one of some words.
    package var choices: [String] { shape(.whole).schema["enum"]?.stringsValue ?? [] }

    /// The member, and its earlier names, in bodies of the Management API.
    func members(_ use: FieldUse) -> [Member] {
        let described = Member(name, shape(use), text.isEmpty ? nil : text, isRequired: isRequired && use != .update)
        let open = isRequired || use == .whole ? described : described.clearable
        let member = open.protecting(protection.protected, protection.sets(use))
        let former = use == .whole ? [] : formerNames
        return [hasNoEffect ? member.withoutEffect : member]
            + former.map { member.named($0).optional.warning("is called \(name) now") }
    }

    /// Rows of docs/apply.md. `document` has the defaults.
    func rows(_ document: JSONObject) -> [FieldRow] {
        if words.isEmpty, !rows.isEmpty { return rows.map { $0.below(name) } }
        let shown = preset ?? (isRequired ? "required" : FieldRow.preset(document[name]))
        let former = formerNames.map { "; formerly `\($0)`" }.joined()
        let own = FieldRow(name, words.isEmpty ? "`true` or `false`" : words, shown, text + former)
        return [own] + rows.map { $0.below(name) }
    }
}

/// `whole` is for answers, and for bodies in which null deletes nothing.
package enum FieldUse { case create, update, whole }
