package import AuthorizationCore
package import Primitives

/// Reads documents that this program stored. A problem means corruption, or a database of a newer version.
package enum StoredDocuments {
    package static func tenant(_ value: JSONValue) throws -> Tenant { try read(value) { Tenant($0) } }

    package static func client(_ value: JSONValue, secretHashes: [[UInt8]]) throws -> Client {
        try read(value) { Client($0, secretHashes: secretHashes) }
    }

    package static func resourceServer(_ value: JSONValue) throws -> ResourceServer {
        try read(value) { ResourceServer($0) }
    }

    package static func role(_ value: JSONValue) throws -> Role { try read(value) { Role($0) } }

    /// `sealedSecret` is empty for a database.
    package static func connection(_ value: JSONValue, sealedSecret: [UInt8]) throws -> LoginConnection {
        try read(value) { LoginConnection($0, sealedSecret: sealedSecret) }
    }

    private static func read<Entity>(_ value: JSONValue, _ make: (DocumentFields) -> Entity?) throws -> Entity {
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
