import AuthorizationCore
import Configuration
import Foundation
@testable import ForeignExports
import Primitives

/// The exports of a made-up shop, written by the documents of Auth0's deploy CLI and of Keycloak.
enum Exports {
    static let now = Timestamp(milliseconds: 1_750_000_000_000)
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Exports")

    /// Files below a folder of exports.
    static func files(_ name: String) throws -> [ForeignFile] {
        let root = folder.appending(path: name)
        let names = try FileManager.default.subpathsOfDirectory(atPath: root.path).sorted()
        return try names.compactMap { name in
            let url = root.appending(path: name)
            guard try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else { return nil }
            return ForeignFile(path: name, bytes: Array(try Data(contentsOf: url)))
        }
    }

    static func auth0(
        clients: ForeignFile? = nil, keywords: Auth0Keywords = Auth0Keywords()
    ) throws -> ForeignConfiguration {
        try Auth0Export(try files("auth0"), clients: clients, keywords: keywords, into: Exports.target)
            .configuration()
    }

    /// The realm's file, changed by `change`, and the file with other users.
    static func keycloak(_ change: (inout String) -> Void = { _ in }) throws -> ForeignConfiguration {
        let files = try files("keycloak")
        let realm = try file("northwind-realm.json", of: files)
        var text = String(decoding: realm.bytes, as: UTF8.self)
        change(&text)
        return try KeycloakRealm(
            ForeignFile(path: realm.path, bytes: Array(text.utf8)), users: [file("northwind-users-0.json", of: files)]
        ).configuration()
    }

    static func file(_ name: String, of files: [ForeignFile]) throws -> ForeignFile {
        guard let file = files.first(where: { $0.path == name }) else {
            throw ForeignFailure(file: name, path: "", "is missing")
        }
        return file
    }

    static let target = MoveTarget(new: TenantID("northwind"), host: "id.northwind.example")

    /// The move into a new tenant.
    static func settled(_ configuration: ForeignConfiguration) throws -> SettledMove {
        try SettledMove(
            configuration, into: target, now: now
        ) { String(repeating: "r", count: 64) }
    }

    /// The tenant's entry of the file that the move applies.
    static func entry(_ move: SettledMove) throws -> JSONValue {
        try JSONReader.parse(move.file, depthLimit: 64)["tenants"]?[0] ?? .null
    }
}

extension JSONValue {
    /// The element of a list whose member has the value.
    func element(_ member: String, _ value: String) -> JSONValue? {
        arrayValue?.first { $0[member]?.stringValue == value }
    }
}

extension MoveReport {
    func difference(_ name: String, _ member: String) -> Difference? {
        differs.first { $0.member == member && $0.subjects.names.contains(name) }
    }

    func absence(_ name: String, _ member: String = "") -> Absence? {
        absent.first { $0.member == member && $0.subjects.names.contains(name) }
    }

    func arrival(_ name: String) -> Came? { came.first { $0.subjects.names.contains(name) } }
}
