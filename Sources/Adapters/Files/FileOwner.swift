#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The account that a new file belongs to. Root's files in another account's folder would be closed to that account, so
/// they are given to it. Other accounts own what they make.
package struct FileOwner: Sendable, Equatable {
    package let user: UInt32
    let group: UInt32

    /// The account of this process.
    package static var process: FileOwner { FileOwner(user: geteuid(), group: getegid()) }

    private init(user: UInt32, group: UInt32) { (self.user, self.group) = (user, group) }

    /// The owner of a file or folder.
    package init(of path: String) throws(FileFailure) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw FileFailure("cannot look at \(path)") }
        (user, group) = (status.st_uid, status.st_gid)
    }

    /// The owner of the folder that contains a file.
    package init(ofFolderOf path: String) throws(FileFailure) { try self.init(of: Folder(of: path).path) }

    /// Gives this account a file or folder that the process has made.
    func take(_ descriptor: Int32, _ path: String) throws(FileFailure) {
        guard geteuid() == 0, user != 0 else { return }
        guard fchown(descriptor, user, group) == 0 else { throw FileFailure("cannot give \(path) to its owner") }
    }

    /// Gives this account a file that an earlier process may have made as root. Never follows a link.
    package func take(_ path: String) throws(FileFailure) {
        guard geteuid() == 0, user != 0 else { return }
        guard lchown(path, user, group) == 0 else { throw FileFailure("cannot give \(path) to its owner") }
    }
}
