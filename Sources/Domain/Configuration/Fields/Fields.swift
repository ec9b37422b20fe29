package import JSONSchema
package import Primitives

/// All members of a document.
package struct Fields<Root>: Sendable {
    package let all: [Field<Root>]

    package init(@FieldBuilder<Root> _ fields: () -> [Field<Root>]) { all = fields() }

    /// Reads every member and reports problems. Absent and wrong members leave `root` unchanged.
    package func read(_ document: DocumentFields, into root: inout Root) {
        for field in all {
            for former in field.formerNames { document.rename(former, to: field.name) }
            field.read(document, &root, field.isRequired)
        }
    }

    /// Warnings about members of former names.
    package func warnings(about object: JSONObject) -> [String] {
        Shape.object(members(.update), isOpen: true).warnings(about: .object(object))
    }

    /// The object with today's names of members.
    package func renamed(_ object: JSONObject) throws(AdministrationFailure) -> JSONObject {
        var renamed = object
        for field in all {
            for former in field.formerNames where renamed[former] != nil {
                guard renamed[field.name] == nil else {
                    throw .invalid(former, "must be omitted with \(field.name)")
                }
                renamed[field.name] = renamed[former]
                renamed[former] = JSONValue?.none
            }
        }
        return renamed
    }

    package func document(of root: Root) -> JSONObject {
        var document = JSONObject()
        for field in all { field.write(root, &document) }
        return document
    }

    /// Members of the Management API's bodies.
    package func members(_ use: FieldUse) -> [Member] { all.filter { !$0.isFileOnly }.flatMap { $0.members(use) } }

    /// An object of exactly these members, none of which may be null.
    package var shape: Shape { .object(members(.whole)) }

    /// Rows of docs/apply.md. `new` has the defaults.
    package func rows(of new: Root?, _ prefix: String = "") -> [FieldRow] {
        let document = new.map(document) ?? [:]
        return all.filter { !$0.isAPIOnly }.flatMap { $0.rows(document) }.map { $0.below(prefix) }
    }
}

/// A value with a document.
package protocol Described: Sendable {
    static var fields: Fields<Self> { get }
}

extension Described {
    /// The configuration, without secrets, metadata and times.
    package var document: JSONObject { Self.fields.document(of: self) }
}

/// Builds lists of fields one by one, which the compiler checks faster than one literal.
@resultBuilder
package enum FieldBuilder<Root> {
    package static func buildExpression(_ field: Field<Root>) -> [Field<Root>] { [field] }
    package static func buildExpression(_ fields: Fields<Root>) -> [Field<Root>] { fields.all }
    package static func buildArray(_ fields: [[Field<Root>]]) -> [Field<Root>] { fields.flatMap(\.self) }
    package static func buildBlock(_ fields: [Field<Root>]...) -> [Field<Root>] { fields.flatMap(\.self) }
}
