import CPostgreSQL

/// Place of a PostgreSQL server, and the way to connect: a connection URI of libpq
/// (postgresql.org/docs/current/libpq-connect.html), with safe values for what it leaves out.
///
/// Has no description of its own with the password, so that none is logged.
package struct PostgreSQLAddress: Sendable, CustomStringConvertible {
    /// Reason why a text is no address. Never repeats the text, which may hold a password.
    package enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        case malformed
        case noDatabase
        case reserved(String)
        case unknown(option: String)

        package var description: String {
            switch self {
            case .malformed: "is no address such as postgres://user@host/database?sslrootcert=/etc/ssl/ca.pem"
            case .noDatabase: "names no database after the host, such as postgres://host/countersign"
            case .reserved(let name): "sets \(name), which this program sets itself"
            case .unknown(let option): "has the option \(option), which libpq does not know"
            }
        }
    }

    /// Options that the driver sets for each connection.
    private static let reserved = ["options", "replication", "client_encoding", "fallback_application_name"]

    /// libpq's options by name.
    let options: [String: String]

    package init(parsing text: String) throws(Failure) {
        guard text.hasPrefix("postgres://") || text.hasPrefix("postgresql://"), !text.utf8.contains(0) else {
            throw .malformed
        }
        var problem: UnsafeMutablePointer<CChar>?
        guard let parsed = PQconninfoParse(text, &problem) else {
            PQfreemem(problem)
            throw Self.unknownOption(in: text).map { .unknown(option: $0) } ?? .malformed
        }
        defer { PQconninfoFree(parsed) }
        var options: [String: String] = [:]
        var option = parsed
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { options[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        for name in Self.reserved where options[name] != nil { throw .reserved(name) }
        guard options["dbname"]?.isEmpty == false else { throw .noDatabase }
        self.options = options.merging(Self.defaults(options)) { given, _ in given }
    }

    private init(options: [String: String]) { self.options = options }

    /// The first name after `?` that libpq does not have. Nil if a part of it could be a password's: one with `?` in it ends
    /// with `@` behind.
    private static func unknownOption(in text: String) -> String? {
        let parts = text.split(separator: "?", maxSplits: 1)
        guard parts.count == 2, !parts[1].contains("@"), let known = names() else { return nil }
        return parts[1].split(separator: "&").lazy.compactMap { pair -> String? in
            guard let end = pair.firstIndex(of: "=") else { return nil }
            let name = String(pair[..<end])
            let isName = (1...40).contains(name.utf8.count) && name.utf8.allSatisfy { $0 == 0x5F || isLetter($0) }
            return isName && !known.contains(name) ? name : nil
        }.first
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    /// Options that a URI may name. Nil without memory.
    private static func names() -> Set<String>? {
        guard let first = PQconndefaults() else { return nil }
        defer { PQconninfoFree(first) }
        // JDBC's option, which libpq takes in a URI alone.
        var names: Set<String> = ["ssl"]
        var option = first
        while let keyword = option.pointee.keyword {
            names.insert(String(cString: keyword))
            option += 1
        }
        return names
    }

    /// The same server with another database.
    package func database(_ name: String) -> PostgreSQLAddress {
        PostgreSQLAddress(options: options.merging(["dbname": name]) { $1 })
    }

    /// The same database, for connections of another name (`application_name`).
    package func application(_ name: String) -> PostgreSQLAddress {
        PostgreSQLAddress(options: options.merging(["application_name": name]) { $1 })
    }

    /// The servers, then those after the first, and so on, as libpq's options. libpq asks no further server if one accepts a
    /// connection and hangs up, as a proxy before a server that is gone does.
    var turns: [[String: String]] {
        let lists = ["host", "hostaddr", "port"].compactMap { name in
            options[name].map { (name, $0.split(separator: ",", omittingEmptySubsequences: false)) }
        }
        return (0..<(lists.map(\.1.count).max() ?? 1)).map { skipped in
            var turn = options
            // A single port is that of each server.
            for (name, values) in lists where values.count > 1 {
                turn[name] = values.dropFirst(skipped).joined(separator: ",")
            }
            return turn
        }
    }

    private static func defaults(_ options: [String: String]) -> [String: String] {
        var defaults = [
            "application_name": "countersign", "connect_timeout": "5",
            // A dead network is noticed within 15 seconds, also while a statement runs.
            "keepalives_idle": "5", "keepalives_interval": "3", "keepalives_count": "3", "tcp_user_timeout": "15000",
        ]
        if isOfThisMachine(options) {
            defaults["sslmode"] = "prefer"
        } else {
            // Without the name, anybody with any certificate could read and change everything.
            defaults["sslmode"] = "verify-full"
            defaults["sslrootcert"] = systemAuthorities.first { access($0, R_OK) == 0 }
        }
        return defaults
    }

    /// True if every host is a folder with a socket, or this machine.
    private static func isOfThisMachine(_ options: [String: String]) -> Bool {
        guard let hosts = options["host"] ?? options["hostaddr"], !hosts.isEmpty else { return true }
        return hosts.split(separator: ",", omittingEmptySubsequences: false).allSatisfy { host in
            host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@") || host == "localhost" || host == "::1"
                || host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." }
        }
    }

    /// Files of Debian, Red Hat and Alpine with the authorities of the web, which libpq before 16 does not find itself.
    private static let systemAuthorities = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
    ]

    /// Server and database, for people. Without user and password.
    package var description: String { "PostgreSQL database \(place)" }

    /// Database and host, for a log. Without user and password.
    package var place: String {
        "\(options["dbname"] ?? "") at \(options["host"] ?? options["hostaddr"] ?? "this machine")"
    }

    /// True if the address itself has a password.
    package var hasPassword: Bool { options["password"].map { !$0.isEmpty } ?? false }

    /// File that the address names for passwords. libpq passes over one that others may read.
    package var passwordFile: String? { options["passfile"] }

    /// Mode of TLS (libpq's `sslmode`).
    package var sslMode: String { options["sslmode"] ?? "" }
}

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif
