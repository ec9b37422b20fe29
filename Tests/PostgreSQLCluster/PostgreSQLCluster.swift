import CPostgreSQL
package import PostgreSQLDriver
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A PostgreSQL server of this process, in a temporary folder and on a socket in it, without syncs. It ends with the process,
/// however that ends.
package final class PostgreSQLCluster: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Nil if no server program is installed.
    package static let shared: PostgreSQLCluster? = programs.map { programs in
        do { return try PostgreSQLCluster(programs) } catch { preconditionFailure("\(error)") }
    }

    /// - Throws: `Failure` if no server program is installed.
    package static var started: PostgreSQLCluster {
        get throws {
            guard let shared else {
                throw Failure(description: "PostgreSQL is missing: scripts/install-packages.sh test")
            }
            return shared
        }
    }

    package static var isInstalled: Bool { programs != nil }

    /// Newest folder of Debian's packages with the server's programs.
    private static let programs: String? = (14...30).reversed().map { "/usr/lib/postgresql/\($0)/bin" }
        .first { access($0 + "/initdb", X_OK) == 0 && access($0 + "/postgres", X_OK) == 0 }

    /// Memory, if it has room: each database is three hundred files, which a disc's file system takes long to make.
    private static var place: String {
        #if canImport(Glibc)
            var memory = statvfs()
            if statvfs("/dev/shm", &memory) == 0, access("/dev/shm", W_OK) == 0,
                memory.f_bavail * memory.f_frsize >= 4 << 30
            {
                return "/dev/shm"
            }
        #endif
        return "/tmp"
    }

    private let folder: String
    private let administration: Mutex<Administration>
    private let names = Atomic<Int>(0)

    /// Connection that makes and removes databases, one after the other. `@unchecked Sendable` because of the mutex.
    private struct Administration: @unchecked Sendable {
        let handle: OpaquePointer

        func run(_ statement: String) throws {
            let result = PQexec(handle, statement)
            defer { PQclear(result) }
            guard PQresultStatus(result) == PGRES_COMMAND_OK else {
                throw Failure(description: String(cString: PQerrorMessage(handle)))
            }
        }
    }

    private init(_ programs: String) throws {
        var template = Array("\(Self.place)/countersign-pg-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure(description: "no temporary folder") }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // The server refuses to run as root.
        let isRoot = geteuid() == 0
        let account = isRoot ? "setpriv --reuid=postgres --regid=postgres --clear-groups" : ""
        let settings = """
            -c listen_addresses= -c unix_socket_directories=\(folder) -c max_connections=400 -c shared_buffers=64MB \
            -c fsync=off -c synchronous_commit=off -c full_page_writes=off -c autovacuum=off -c deadlock_timeout=100
            """
        // A natural order of texts, which the program must not depend on.
        let order = programs.contains("/14/") ? "" : "--locale-provider=icu --icu-locale=en-US"
        let start = """
            cd \(folder) && { \(isRoot ? "chown postgres \(folder)" : "true"); } \
            && \(account) \(programs)/initdb --pgdata=\(folder)/data --auth=trust --username=countersign --no-sync \
            --encoding=UTF8 --locale=C.UTF-8 \(order) --no-instructions \
            && \(account) \(programs)/pg_ctl start --pgdata=\(folder)/data --log=\(folder)/log --wait --options="\(settings)"
            """
        let stop = "\(account) \(programs)/pg_ctl stop --pgdata=\(folder)/data --mode=immediate"
        // This shell outlives the process, and sees its end by that of its input. The pipe is never closed on purpose.
        guard popen("trap '' INT TERM HUP; read -r _; \(stop) >/dev/null 2>&1; rm -rf \(folder)", "we") != nil,
            system("{ \(start); } >\(folder)/start 2>&1") == 0
        else { throw Failure(description: "PostgreSQL did not start; \(folder)/start says why") }
        guard let handle = PQconnectdb("host=\(folder) user=countersign dbname=postgres"),
            PQstatus(handle) == CONNECTION_OK
        else { throw Failure(description: "PostgreSQL does not answer") }
        administration = Mutex(Administration(handle: handle))
    }

    /// Makes a database, empty or as a copy of another that nobody is connected to.
    ///
    /// - Parameter writers: Connections of a store that change it.
    package func makeDatabase(copying template: String = "template0", writers: Int = 4) throws -> Database {
        let name = "test_\(names.add(1, ordering: .relaxed).newValue)"
        try administration.withLock { try $0.run("CREATE DATABASE \(name) TEMPLATE \(template) STRATEGY file_copy") }
        return Database(name: name, writers: writers, cluster: self)
    }

    /// A database that is removed with the last reference.
    package final class Database: Sendable {
        package let name: String
        private let writers: Int
        private let cluster: PostgreSQLCluster

        fileprivate init(name: String, writers: Int, cluster: PostgreSQLCluster) {
            self.name = name
            self.writers = writers
            self.cluster = cluster
        }

        deinit { try? cluster.administration.withLock { try $0.run("DROP DATABASE \(name) WITH (FORCE)") } }

        /// Folder of the server's socket.
        package var folder: String { cluster.folder }

        /// Connection URI.
        package var uri: String { "postgres://countersign@/\(name)?host=\(cluster.folder)" }

        /// A configuration with few connections, since many tests share the server, and small batches, so that changes meet.
        package var configuration: PostgreSQLConfiguration {
            get throws {
                var configuration = PostgreSQLConfiguration(try PostgreSQLAddress(parsing: uri))
                configuration.readers = 3
                configuration.writers = writers
                configuration.batchLimit = 2
                configuration.scanners = 1
                return configuration
            }
        }
    }
}
