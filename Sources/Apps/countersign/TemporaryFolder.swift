import PlatformFoundation
import Terminal

struct TemporaryFolder {
    private let url: URL
    var path: String { url.path }

    init() throws(CommandFailure) {
        url = FileManager.default.temporaryDirectory.appending(path: "countersign-\(UUID().uuidString)")
        do {
            try FileManager.default.createDirectory(
                at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CommandFailure("cannot create a temporary folder in \(url.deletingLastPathComponent().path)")
        }
    }

    /// Removes the folder and its content.
    func remove() { try? FileManager.default.removeItem(at: url) }
}
