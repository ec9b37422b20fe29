import Foundation
import Testing

@Suite("The SDK on Apple platforms")
struct AppleBranchTests {
    #if !canImport(CryptoKit)
        @Test("The Apple branch type-checks against stand-ins for CryptoKit and Security")
        func typecheck() async throws {
            let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent()
            let process = Process()
            process.executableURL = root.appending(path: "scripts/typecheck-apple.sh")
            let output = Pipe()
            process.standardOutput = output
            process.standardError = output
            // Read to its end before asking for the status: the script waits while the pipe is full.
            let reading = Task.detached { try output.fileHandleForReading.readToEnd() ?? Data() }
            let status = try await withCheckedThrowingContinuation { continuation in
                process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
                do { try process.run() } catch { continuation.resume(throwing: error) }
            }
            let text = String(decoding: try await reading.value, as: UTF8.self)
            #expect(status == 0, "\(text)")
            #expect(text.contains("typechecked"))
        }
    #endif

    @Test("Apple's branch imports nothing but the system's Foundation, CryptoKit, Security and our own formats")
    func imports() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources/SDK/Guardian")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var imported: Set<String> = []
        for case let file as URL in files
        where file.pathExtension == "swift" && file.lastPathComponent != "OpenSSLPlatform.swift" {
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                let words = line.split(separator: " ")
                guard let index = words.firstIndex(of: "import"), index <= 1, !line.contains("//") else { continue }
                imported.insert(String(words[index + 1]))
            }
        }
        #expect(
            imported == [
                "Foundation", "FoundationNetworking", "CryptoKit", "Security", "Synchronization", "Primitives", "JOSE",
                "GuardianWire", "HTTPModel",
            ])
    }
}
