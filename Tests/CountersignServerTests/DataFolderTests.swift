@testable import CountersignCommand
import struct Files.FileOwner
import Foundation
import Glibc
import Terminal
import TestSupport
import Testing

@testable import CountersignServer

@Suite("The data folder of commands", .serialized)
struct DataFolderTests {
    /// An account without files: its number need not have a name.
    private static let other: UInt32 = 65_533
    private static let isRoot = geteuid() == 0

    /// Commands that find a data folder by the server's settings, and the copy, which names its two.
    private static let commands = ExampleFolder.leaves.filter { name, command in
        command.groups.contains { $0.heading == Setting.storage.heading } || name == "countersign store copy"
    }.map(\.name)

    private static func lines(_ isWanted: (ExampleFolder.Line) -> Bool = { _ in true }) -> [ExampleFolder.Line] {
        ExampleFolder.lines.filter { line in
            // A server that starts runs until it is stopped.
            commands.contains { "\(line.text) ".contains("\($0) ") } && !line.text.contains("countersign serve")
                && !["--follow", "--server"].contains { line.text.contains($0) } && line.command != "countersign"
                && isWanted(line)
        }
    }

    private static func give(_ folder: Folder, to account: UInt32, _ mode: mode_t = 0o700) throws {
        let data = folder.url.appending(path: "countersign-data").path
        let names = try FileManager.default.subpathsOfDirectory(atPath: data)
        for path in [data] + names.map({ "\(data)/\($0)" }) { try #require(chown(path, account, account) == 0) }
        try #require(chmod(data, mode) == 0)
    }

    /// Files of the data folder that belong to another account than `account`.
    private static func foreign(_ folder: Folder, _ account: UInt32) throws -> [String] {
        let data = folder.url.appending(path: "countersign-data").path
        return try FileManager.default.subpathsOfDirectory(atPath: data).filter { name in
            try FileOwner(of: "\(data)/\(name)").user != account
        }
    }

    @Test("Every command has an example that these tests run")
    func all() {
        let shown = Set(Self.lines().map(\.command))
        #expect(Self.commands.count > 60)
        for name in Self.commands where name != "countersign serve" {
            #expect(shown.contains(name) || name == "countersign log tail", "\(name)")
        }
    }

    @Test("A database that is a link, or another program's, is refused and not changed")
    func elsewhere() async throws {
        let target = try await ExampleFolder()
        let line = try #require(Self.lines { $0.text.contains("apply") }.first)
        let folder = try target.copy()
        let data = folder.url.appending(path: "countersign-data")
        let (database, other) = (data.appending(path: "countersign.db"), data.appending(path: "other.db"))
        try FileManager.default.moveItem(at: database, to: other)
        try FileManager.default.createSymbolicLink(at: database, withDestinationURL: other)
        let linked = try await target.run(line, in: folder)
        #expect(linked.status != 0 && linked.errors.contains("is a link or no file"), "\(linked.errors)")
        try FileManager.default.removeItem(at: database)
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: database.path + suffix) }
        try await alterDatabase(database.path, "CREATE TABLE theirs (a)")
        let before = try Data(contentsOf: database)
        let foreign = try await target.run(line, in: folder)
        #expect(
            foreign.status != 0 && foreign.errors.contains("\"theirs\" in it is of another program"),
            "\(foreign.errors)")
        #expect(try Data(contentsOf: database) == before)
    }

    @Test("Without a database every command names the folder and makes nothing, unless --create is given")
    func absent() async throws {
        let target = try await ExampleFolder()
        let data = target.folder.url.appending(path: "countersign-data")
        try FileManager.default.removeItem(at: data)
        for line in Self.lines({ !$0.text.contains("--create") && !$0.text.contains("postgres://") }) {
            let folder = try target.copy()
            let result = try await target.run(line, in: folder)
            let said = result.output + result.errors
            let place = "\(folder.url.path)/countersign-data"
            if line.text.contains("/etc/countersign/countersign.json") {
                #expect(said.contains("cannot open /etc/countersign/countersign.json"), "\(line.text): \(said)")
            } else if line.command == "countersign doctor" {
                #expect(said.contains("there is no database"), "\(line.text): \(said)")
            } else {
                #expect(said.contains("\(place) contains no database"), "\(line.text): \(said)")
            }
            #expect(!folder.exists("countersign-data"), "\(line.text)")
        }
        for text in ["countersign apply configuration.json", "countersign restore copy.db"] {
            let result = try await ExampleFolder.run(text, in: target.copy())
            #expect(
                result.status == 1 && result.errors.contains("make a database there with --create"), "\(result.errors)")
        }
        let trial = try target.copy()
        let dry = try await ExampleFolder.run("countersign apply configuration.json --create --dry-run", in: trial)
        #expect(dry.status == 0 && dry.errors.contains("would be made in \(trial.url.path)"), "\(dry.errors)")
        #expect(!trial.exists("countersign-data"))
        let made = try await ExampleFolder.run("countersign apply configuration.json --create", in: trial)
        #expect(made.status == 0, "\(made.errors)")
        #expect(made.errors.contains("Created the data folder \(trial.url.path)/countersign-data"), "\(made.errors)")
    }

    @Test("Root's commands leave every file to the folder's owner", .enabled(if: isRoot))
    func root() async throws {
        let target = try await ExampleFolder()
        for line in Self.lines() {
            let folder = try target.copy()
            try Self.give(folder, to: Self.other)
            _ = try await target.run(line, in: folder)
            #expect(try Self.foreign(folder, Self.other) == [], "\(line.text)")
        }
    }

    @Test("Root makes an installation for the owner of an empty folder, and a server never", .enabled(if: isRoot))
    func emptyFolder() async throws {
        let target = try await ExampleFolder()
        let data = target.folder.url.appending(path: "countersign-data").path
        try FileManager.default.moveItem(atPath: "\(data)/master.key", toPath: "\(data).key")
        try FileManager.default.removeItem(atPath: data)
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: false)
        try Self.give(target.folder, to: Self.other)
        for text in [
            "countersign apply configuration.json --create",
            "countersign restore copy.db --create --master-key-file countersign-data.key",
            "mv countersign-data.key countersign-data/master.key; countersign restore copy.db --create",
        ] {
            let folder = try target.copy()
            try Self.give(folder, to: Self.other)
            let result = try await ExampleFolder.run(text, in: folder)
            #expect(result.status == 0, "\(text): \(result.errors)")
            #expect(folder.exists("countersign-data/countersign.db"))
            #expect(try Self.foreign(folder, Self.other).filter { $0 != "master.key" } == [], "\(text)")
        }
        let served = try await ExampleFolder.run("countersign serve --port 0 --metrics-port none", in: target.folder)
        #expect(served.status == 1 && served.errors.contains("belongs to \(Self.other), but this runs as root"))
        #expect(served.errors.contains("sudo -u '#\(Self.other)' countersign"), "\(served.errors)")
        #expect(try FileManager.default.subpathsOfDirectory(atPath: data) == [])
    }

    @Test(
        "Another account is told whose the folder is, and makes nothing there", .enabled(if: OtherAccount.exists),
        arguments: [0o700, 0o777])
    func stranger(mode: Int) async throws {
        let target = try await ExampleFolder()
        try Self.give(target.folder, to: Self.other, mode_t(mode))
        try #require(chmod(target.folder.url.path, 0o755) == 0)
        for name in ["configuration.json", "secret.txt"] {
            try #require(chmod(target.folder.url.appending(path: name).path, 0o644) == 0)
        }
        let names = try FileManager.default.subpathsOfDirectory(atPath: target.folder.url.path).sorted()
        for command in [
            "keys list", "user list", "apply configuration.json", "key-exchange", "backup other.db", "log list",
        ] {
            let words = command.split(separator: " ").map(String.init)
            let result = try await OtherAccount.run(words, as: 65_532, in: target.folder.url)
            #expect(result.status == 1, "\(command)")
            let reads = ["backup other.db", "log list"].contains(command) && mode == 0o777
            #expect(
                reads || result.errors.contains("sudo -u '#\(Self.other)' countersign"), "\(command): \(result.errors)")
        }
        #expect(try FileManager.default.subpathsOfDirectory(atPath: target.folder.url.path).sorted() == names)
    }
}
