import Foundation
import Terminal

/// A receipt, and the keys that the server published: all that its reader needs.
struct Proof: Sendable {
    let receipt: String
    /// A JWK set.
    let keys: [UInt8]

    /// Verifies the receipt with `countersign receipt verify`, from files.
    func verify(by programs: URL, _ output: Output) throws {
        let manager = FileManager.default
        let folder = manager.temporaryDirectory.appendingPathComponent("countersign-proof-\(UUID().uuidString)")
        try manager.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? manager.removeItem(at: folder) }
        try Data(receipt.utf8).write(to: folder.appendingPathComponent("receipt.jwt"))
        try Data(keys).write(to: folder.appendingPathComponent("jwks.json"))
        let process = Process()
        let printed = Pipe()
        process.executableURL = programs.appendingPathComponent("countersign")
        process.arguments = ["receipt", "verify", "receipt.jwt", "--jwks", "jwks.json"]
        process.currentDirectoryURL = folder
        process.standardOutput = printed
        output.line("$ countersign \((process.arguments ?? []).joined(separator: " "))")
        try process.run()
        let bytes = printed.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        output.lines(String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { Text(String($0)) })
        try DemoFailure.check("the exit status of countersign receipt verify", process.terminationStatus, is: 0)
        output.line("\("✓", .green) the receipt is valid")
    }
}
