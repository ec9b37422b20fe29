import Foundation
import Terminal

/// A folder for what nobody needs afterwards.
struct TemporaryFolder {
    private let url: URL
    var path: String { url.path }

    init() throws(CommandFailure) {
        url = FileManager.default.temporaryDirectory.appending(path: "countersign-\(UUID().uuidString)")
        do {
            try FileManager.default.createDirectory(
                at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CommandFailure("cannot make a folder for a moment: \(error.localizedDescription)")
        }
    }

    /// With all that is in it.
    func remove() { try? FileManager.default.removeItem(at: url) }
}
