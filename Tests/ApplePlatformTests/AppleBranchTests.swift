import Foundation
import Testing

@Suite("SDKs on Apple platforms")
struct AppleBranchTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test(
        "On Apple platforms the SDKs import only system frameworks and the package's own formats",
        arguments: ["Adapters/ApplePlatform", "Adapters/SecretFiles", "SDK/Guardian", "SDK/CountersignClient"])
    func imports(folder: String) throws {
        let files = FileManager.default.enumerator(
            at: Self.root.appending(path: "Sources/\(folder)"), includingPropertiesForKeys: nil)
        var imported: Set<String> = []
        for case let file as URL in try #require(files) where file.pathExtension == "swift" {
            var isElsewhere = false
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                let words = line.split(separator: " ")
                if words == ["#else"] { isElsewhere = true }
                if words == ["#endif"] { isElsewhere = false }
                guard !isElsewhere, let index = words.firstIndex(of: "import"), index <= 1, words.count == index + 2
                else { continue }
                imported.insert(String(words[index + 1]))
            }
        }
        #expect(!imported.isDisjoint(with: ["Foundation", "PlatformFoundation"]))
        imported.subtract([
            "Foundation", "CryptoKit", "Security", "AuthenticationServices", "Synchronization", "Primitives", "JOSE",
            "HTTPModel", "OAuthWire", "GuardianWire", "ApprovalWire", "Localization", "ApplePlatform", "Files",
            "SecretFiles", "PlatformFoundation", "Threads",
        ])
        #expect(imported.isEmpty)
    }
}
