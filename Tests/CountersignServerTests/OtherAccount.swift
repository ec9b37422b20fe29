import Foundation
import Glibc
import TestSupport

/// Commands of another account than that of the tests, which root alone can run.
enum OtherAccount {
    /// True if the tests can run commands as another account.
    static let exists = geteuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0 && isReachable

    private static let command = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "countersign").path

    /// True if every account may enter the folders above the command.
    private static let isReachable: Bool = {
        var folder = URL(filePath: command).deletingLastPathComponent()
        while folder.path != "/" {
            var status = stat()
            guard stat(folder.path, &status) == 0, status.st_mode & 0o001 != 0 else { return false }
            folder.deleteLastPathComponent()
        }
        return true
    }()

    static func run(_ arguments: [String], as account: UInt32, in folder: URL) async throws -> Program.Result {
        try await Program.run(
            ["--reuid", "\(account)", "--regid", "\(account)", "--clear-groups", command] + arguments, of: "setpriv",
            in: folder)
    }
}
