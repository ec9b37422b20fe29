import Glibc
import MicroHTTPServer

/// Raises the limit of open files. Each connection uses one; systems commonly allow 1,024, and more on request.
package enum OpenFiles {
    /// Files for databases, listeners, event threads and outgoing connections.
    private static let others = 200

    /// Raises the limit to the maximum, and logs a warning if `settings` may need more.
    package static func raiseLimit(for settings: ServerSettings, _ log: Log) {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(resource, &limit)
        let connections = settings.limits.connections
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < connections + others else { return }
        log.write(
            .warning, "open file limit too low",
            [
                "allowed": String(limit.rlim_cur), "max_connections": String(connections),
                "advice": "raise the limit (LimitNOFILE, ulimit -Hn), or lower max-connections to "
                    + "\(max(1, Int(limit.rlim_cur) - others))",
            ])
    }
}
