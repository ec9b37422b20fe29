import CTimex
import Files
import Glibc
import Primitives

/// Reads what the system knows about an installation. Changes nothing.
enum DoctorFacts {
    /// Names of one folder that are looked at.
    static let nameLimit = 100_000

    /// - Throws: `FileFailure`.
    static func file(_ path: String, as use: FileFacts.Use) throws -> FileFacts {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw FileFailure("cannot look at \(path)")
        }
        return FileFacts(
            path: path, use: use, mode: status.st_mode & 0o777, owner: Account(status.st_uid),
            isFolder: status.st_mode & S_IFMT == S_IFDIR)
    }

    /// True for a symbolic link, also to a folder.
    static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// True if the account may change the file, or make others in the folder. A file system that is mounted read-only
    /// is left to the check of the disk.
    static func isWritable(_ file: FileFacts, by account: Account) -> Bool {
        guard geteuid() == account.number else {
            // The rights of another account are known for its own files alone.
            let needed: UInt32 = file.isFolder ? 0o300 : 0o200
            return file.owner != account || account.number == Account.root || file.mode & needed == needed
        }
        return faccessat(AT_FDCWD, file.path, file.isFolder ? W_OK | X_OK : W_OK, AT_EACCESS) == 0 || errno == EROFS
    }

    /// At most `nameLimit` names in a folder, sorted.
    /// - Throws: `FileFailure`.
    static func names(in folder: String) throws -> [String] {
        guard let handle = opendir(folder) else {
            throw FileFailure("cannot list \(folder)")
        }
        defer { closedir(handle) }
        var names: [String] = []
        while names.count < nameLimit, let entry = readdir(handle) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// - Throws: `FileFailure`.
    static func disk(_ folder: String) throws -> DiskFacts {
        var system = statvfs()
        guard statvfs(folder, &system) == 0 else {
            throw FileFailure("cannot measure the file system of \(folder)")
        }
        let block = Double(system.f_frsize)
        return DiskFacts(
            freeBytes: Double(system.f_bavail) * block, bytes: Double(system.f_blocks) * block,
            freeInodes: Double(system.f_favail), inodes: Double(system.f_files),
            isReadOnly: system.f_flag & UInt(ST_RDONLY) != 0)
    }

    /// Time of a file's last change. Nil without the file.
    static func changed(_ path: String) -> Timestamp? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Timestamp(
            milliseconds: Int64(status.st_mtim.tv_sec) * 1000 + Int64(status.st_mtim.tv_nsec) / 1_000_000)
    }

    /// Nil if the system does not tell, for example because a sandbox forbids the question.
    static var isClockSynchronized: Bool? {
        switch countersign_clock_is_synchronized() {
        case 1: true
        case 0: false
        default: nil
        }
    }

    /// Addresses of a host, by the system's resolver. Blocks, for as long as the resolver takes.
    static func addresses(of host: String) -> Result<[String], LookupFailure> {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &first)
        guard code == 0 else { return .failure(LookupFailure(reason: String(cString: gai_strerror(code)))) }
        defer { freeaddrinfo(first) }
        var addresses: [String] = []
        var next = first
        while let entry = next {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            if getnameinfo(
                entry.pointee.ai_addr, entry.pointee.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
                == 0
            {
                let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
                let address = String(decoding: bytes, as: UTF8.self)
                if !addresses.contains(address) { addresses.append(address) }
            }
            next = entry.pointee.ai_next
        }
        return addresses.isEmpty ? .failure(LookupFailure(reason: "no address")) : .success(addresses)
    }
}

/// A name without an address.
struct LookupFailure: Error, Sendable {
    let reason: String
}
