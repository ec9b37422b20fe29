package import ApprovalWire
import AuthorizationCore
import Glibc
import Synchronization

/// Places of addresses by a database in MaxMind's format, which libmaxminddb maps into memory.
///
/// A file that takes the database's place by a rename, as `geoipupdate` does it, is used from the next address on. If it
/// cannot be read, the earlier one stays in use.
package final class MaxMindPlaces: PlaceFinder {
    /// The file is no such database, or cannot be read.
    package struct Failure: Error, Sendable, CustomStringConvertible {
        package let description: String
    }

    private struct Opened {
        let database: MaxMindDatabase
        let version: FileVersion?
    }

    private let path: String
    private let opened: Mutex<Opened>
    private let report: @Sendable (_ problem: String) -> Void

    /// `report` is told once of each later file that cannot be read.
    package init(_ path: String, report: @escaping @Sendable (_ problem: String) -> Void) throws(Failure) {
        self.path = path
        self.report = report
        let version = FileVersion(path)
        opened = Mutex(Opened(database: try MaxMindDatabase(path), version: version))
    }

    package func place(of address: String) -> RequestRecord.Place? { current.place(of: address) }

    private var current: MaxMindDatabase {
        opened.withLock { opened in
            let version = FileVersion(path)
            guard version != opened.version else { return opened.database }
            var database = opened.database
            do throws(Failure) {
                database = try MaxMindDatabase(path)
            } catch {
                report(error.description)
            }
            opened = Opened(database: database, version: version)
            return database
        }
    }
}

/// The file that a path leads to, and its last change.
private struct FileVersion: Equatable {
    private let device, file: UInt
    private let size, seconds, nanoseconds: Int

    /// Nil if there is none.
    init?(_ path: String) {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return nil }
        (device, file) = (UInt(facts.st_dev), UInt(facts.st_ino))
        (size, seconds, nanoseconds) = (Int(facts.st_size), facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec)
    }
}
