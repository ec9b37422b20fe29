import AuthorizationCore
import Configuration
import Primitives

/// Reads documents as a store does.
enum StoredDocuments {
    static func tenant(_ value: JSONValue) throws -> Tenant { try DocumentFields.stored(value) { Tenant($0) } }

    static func client(_ value: JSONValue, secretHashes: [[UInt8]]) throws -> Client {
        try Client(TenantDocument(.client, id: "", document: value.objectValue ?? [:], secretHashes: secretHashes))
    }

    static func resourceServer(_ value: JSONValue) throws -> ResourceServer {
        try ResourceServer(TenantDocument(.resourceServer, id: "", document: value.objectValue ?? [:]))
    }

    static func role(_ value: JSONValue) throws -> Role {
        try Role(TenantDocument(.role, id: "", document: value.objectValue ?? [:]))
    }

    static func connection(_ value: JSONValue, sealedSecret: [UInt8]) throws -> LoginConnection {
        try LoginConnection(
            TenantDocument(.connection, id: "", document: value.objectValue ?? [:], sealedSecrets: sealedSecret))
    }
}
