import Foundation
import Primitives
import TestSupport
import Testing

@Suite("countersign-demo")
struct DemoTests {
    private static let programs = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()

    /// A folder of programs, removed after the test. `place` copies the demo there.
    private func inFolder(
        placing place: (_ demo: URL, _ target: URL) async throws -> Void, _ body: (URL) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "demo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await place(Self.programs.appending(path: "countersign-demo"), folder.appending(path: "countersign-demo"))
        try await body(folder)
    }

    private func run(_ line: String, in folder: URL) async throws -> Program.Result {
        try await Program.run(
            ["-c", line], of: "bash", in: folder, environment: ["PATH": "\(folder.path):/usr/bin:/bin"])
    }

    @Test("Started through PATH and a link, the demo finds the server beside its file and succeeds")
    func byPath() async throws {
        try await inFolder {
            try FileManager.default.createSymbolicLink(at: $1, withDestinationURL: $0)
        } _: { folder in
            let version = try await run("countersign-demo --version", in: folder)
            #expect(version.output == "countersign-demo \(Release.version)\n")
            let played = try await run("countersign-demo --yes", in: folder)
            #expect(played.status == 0, "\(played.errors)")
            #expect(played.output.hasSuffix("demo: ok\n"))
            // The approver's address, its link and the link's code end the demo.
            let end = played.output.components(separatedBy: "Your own phone").last ?? ""
            #expect(end.contains("/approver\n") && end.contains("/approver#enroll="))
            #expect(end.split(separator: "\n").count { $0.contains("▀") } > 15)
        }
    }

    @Test("Without a server beside it, the demo names the missing file and how to build it")
    func alone() async throws {
        try await inFolder {
            // Another process copies: a file open for writing here is busy in every program started meanwhile.
            let copied = try await Program.run([$0.path, $1.path], of: "cp", in: $1.deletingLastPathComponent())
            #expect(copied.status == 0)
        } _: { folder in
            let result = try await run("countersign-demo --yes", in: folder)
            #expect(result.status == 1)
            #expect(
                result.errors.contains(
                    "error: \(folder.path)/countersign does not exist; run `make release` to build it"))
        }
    }
}
