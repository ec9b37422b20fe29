import Glibc
import MicroHTTPServer

/// Each connection is an open file to the system, which commonly allows 1,024 and many more on request.
package enum OpenFiles {
    /// Databases, listeners, event threads and connections to others.
    private static let others = 200

    /// Takes as many as the system allows, and logs where `settings` may need more.
    package static func raiseLimit(for settings: ServerSettings, _ log: Log) {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(resource, &limit)
        let connections = settings.limits.connections
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < connections + others else { return }
        log.write(
            .warning, "few open files",
            [
                "allowed": String(limit.rlim_cur), "max_connections": String(connections),
                "advice": "raise the limit (LimitNOFILE, ulimit -Hn), or lower max-connections to "
                    + "\(max(1, Int(limit.rlim_cur) - others))",
            ])
    }
}
