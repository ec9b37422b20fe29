@testable import CountersignClient
import Foundation
import HTTPModel
import JOSE
import Primitives
import Synchronization
import TestSupport
import Testing

@Suite("Credentials file")
struct FileCredentialStoreTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "store-\(UUID().uuidString)")

    private func inFolder(_ body: (FileCredentialStore) async throws -> Void) async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(FileCredentialStore(path: folder.appending(path: "tokens.json").path))
    }

    private func mode(_ path: String) throws -> Int? {
        (try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
    }

    @Test("The file has mode 0600 and is replaced atomically; no other file stays in the folder")
    func save() async throws {
        try await inFolder { store in
            #expect(try await store.load() == nil)
            try await store.save(Data("first".utf8))
            #expect(try mode(store.path) == 0o600)
            try await store.save(Data("second".utf8))
            #expect(try mode(store.path) == 0o600)
            #expect(try await store.load() == Data("second".utf8))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["tokens.json"])
            try await store.clear()
            try await store.clear()
            #expect(try await store.load() == nil)
        }
    }

    @Test("A file that others can read is refused")
    func tooOpen() async throws {
        try await inFolder { store in
            try await store.save(Data("secret".utf8))
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: store.path)
            do {
                _ = try await store.load()
                Issue.record("it was read")
            } catch {
                #expect("\(error)".contains("chmod 600"))
            }
        }
    }

    @Test("If the file cannot be written, the old one stays")
    func failure() async throws {
        let store = FileCredentialStore(path: "/proc/self/tokens.json")
        do {
            try await store.save(Data())
            Issue.record("it was written")
        } catch {
            #expect("\(error)".contains("cannot write /proc/self/tokens.json"))
        }
    }
}
