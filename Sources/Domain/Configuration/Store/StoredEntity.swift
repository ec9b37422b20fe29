package import Primitives

/// An entity that the store keeps as a `TenantDocument`.
package protocol StoredEntity: Sendable {
    static var storedKind: TenantDocument.Kind { get }
    var storedID: String { get }
    var document: JSONObject { get }

    /// Nil with problems. `stored` has what is not part of the document.
    init?(_ fields: DocumentFields, of stored: TenantDocument)

    var stored: TenantDocument { get }
}

extension StoredEntity {
    package var stored: TenantDocument { TenantDocument(Self.storedKind, id: storedID, document: document) }

    /// Throws for a document that this program did not store: corruption, or a database of a newer version.
    package init(_ stored: TenantDocument) throws {
        self = try DocumentFields.stored(.object(stored.document)) { Self($0, of: stored) }
    }
}

extension DocumentFields {
    /// Throws for a document that this program did not store: corruption, or a database of a newer version.
    package static func stored<Entity>(_ value: JSONValue, _ make: (DocumentFields) -> Entity?) throws -> Entity {
        let problems = Problems()
        let fields = DocumentFields(value, path: "", problems: problems)
        let entity = fields.flatMap(make)
        fields?.finish()
        guard let entity, problems.list.isEmpty else {
            throw problems.list.first ?? DocumentProblem(path: "", message: "cannot be read")
        }
        return entity
    }
}
