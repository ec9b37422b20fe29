import CPostgreSQL
import SQL

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// libpq's connection in pipeline mode, with a limit for each wait.
///
/// `@unchecked Sendable` as its connection is.
final class Wire: @unchecked Sendable {
    /// The oldest version with every word of the statements.
    private static let oldestVersion: Int32 = 140_000
    /// Time for an answer beyond the server's own limit. A server that sends none in that time is gone.
    private static let grace = Duration.seconds(10)

    let handle: OpaquePointer
    /// True if the connection cannot be used again.
    private(set) var isLost = false
    /// Limit that the server has for statements.
    var limit: Duration
    /// Exchanges for whose answers somebody waited.
    private(set) var exchanges = 0
    private var answerBy = ContinuousClock.now
    private var isOpen = true

    init(_ configuration: PostgreSQLConfiguration, as role: PostgreSQLConnection.Role) throws(SQLError) {
        var opened = Self.open(configuration.address.options, configuration, role)
        for turn in configuration.address.turns.dropFirst() where PQstatus(opened) != CONNECTION_OK {
            var next = Self.open(turn, configuration, role)
            // The first reason names all servers up to the one that hung up.
            if PQstatus(next) == CONNECTION_OK { swap(&opened, &next) }
            PQfinish(next)
        }
        guard let opened else { throw .unavailable(reason: "out of memory") }
        handle = opened
        limit = .milliseconds(configuration.statementTimeout)
        guard PQstatus(handle) == CONNECTION_OK else {
            let reason = Self.message(handle)
            close()
            throw .unavailable(reason: reason)
        }
        // Notices would go to the process's error output.
        PQsetNoticeReceiver(handle, { _, _ in }, nil)
        let version = PQserverVersion(handle)
        guard version >= Self.oldestVersion else {
            close()
            throw .other(
                code: Int(version),
                message: "PostgreSQL \(Self.oldestVersion / 10_000) or newer is needed, and this server has "
                    + "version \(version / 10_000)")
        }
        guard PQenterPipelineMode(handle) == 1 else { throw lose() }
    }

    deinit { close() }

    private static func open(
        _ servers: [String: String], _ configuration: PostgreSQLConfiguration, _ role: PostgreSQLConnection.Role
    ) -> OpaquePointer? {
        let options = configuration.options(for: role, at: servers).sorted { $0.key < $1.key }
        let keywords = options.map { strdup($0.key) } + [nil]
        let values = options.map { strdup($0.value) } + [nil]
        defer { for text in keywords + values { free(text) } }
        return keywords.map { UnsafePointer($0) }.withUnsafeBufferPointer { keywords in
            values.map { UnsafePointer($0) }.withUnsafeBufferPointer { values in
                PQconnectdbParams(keywords.baseAddress, values.baseAddress, 0)
            }
        }
    }

    /// Says farewell. The connection is unusable afterwards.
    func close() {
        isLost = true
        guard isOpen else { return }
        isOpen = false
        PQfinish(handle)
    }

    /// Marks the connection as lost.
    func lose() -> SQLError {
        guard isOpen else { return .lost }
        isLost = true
        let reason = Self.message(handle)
        return reason.isEmpty ? .lost : .unavailable(reason: reason)
    }

    /// One line. libpq names hosts and accounts in it, and never a password.
    private static func message(_ handle: OpaquePointer) -> String {
        guard let text = PQerrorMessage(handle) else { return "" }
        return String(cString: text).split(whereSeparator: \.isNewline)
            .map { line in line.drop { $0 == "\t" || $0 == " " } }.joined(separator: "; ")
    }

    /// Ends an exchange: the server answers all commands up to here.
    /// - Parameter isAwaited: False if the answer is read with that of a later exchange.
    func sync(isAwaited: Bool = true) throws(SQLError) {
        if isAwaited { exchanges += 1 }
        guard !isLost, PQpipelineSync(handle) == 1 else { throw lose() }
        answerBy = .now + limit + Self.grace
    }

    /// The next part of an answer, which the caller clears. Nil after the last part.
    func next() throws(SQLError) -> OpaquePointer? {
        while PQisBusy(handle) != 0 {
            try awaitBytes()
            guard PQconsumeInput(handle) == 1 else { throw lose() }
        }
        let result = PQgetResult(handle)
        guard PQstatus(handle) == CONNECTION_OK else {
            defer { PQclear(result) }
            throw result.map(error) ?? lose()
        }
        return result
    }

    private func awaitBytes() throws(SQLError) {
        var socket = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        while true {
            let left = Int((answerBy - .now) / .milliseconds(1))
            guard left > 0 else {
                isLost = true
                throw .unavailable(reason: "the server does not answer")
            }
            let count = poll(&socket, 1, Int32(clamping: left))
            if count > 0 { return }
            guard count == 0 || errno == EINTR else { throw lose() }
        }
    }

    /// Reads the end of an exchange.
    func readSync() throws(SQLError) {
        guard let result = try next() else { throw lose() }
        defer { PQclear(result) }
        guard PQresultStatus(result) == PGRES_PIPELINE_SYNC else { throw lose() }
    }

    /// Reads the answer to a command up to its end.
    /// - Returns: the command's error. Nil if it succeeded.
    func readAnswer(_ visit: (OpaquePointer) -> Void = { _ in }) throws(SQLError) -> SQLError? {
        var failure: SQLError?
        while let result = try next() {
            defer { PQclear(result) }
            switch PQresultStatus(result) {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_SINGLE_TUPLE, PGRES_EMPTY_QUERY: visit(result)
            // The error of an earlier command is the reason.
            case PGRES_PIPELINE_ABORTED: failure = failure ?? .aborted
            default: failure = error(result)
            }
        }
        return failure
    }

    /// Error that a result reports.
    func error(_ result: OpaquePointer) -> SQLError {
        let error = SQLError(result)
        // Both end the connection, whatever happened before.
        if ["FATAL", "PANIC"].contains(SQLError.severity(of: result)) || PQstatus(handle) != CONNECTION_OK {
            isLost = true
            if case .unavailable = error { return error }
            return .unavailable(reason: error.description)
        }
        return error
    }

    /// Runs one statement with texts for its parameters.
    func command(_ text: String, _ values: [String] = []) throws(SQLError) {
        let copies: [UnsafeMutablePointer<CChar>?] = values.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        let sent = copies.map { UnsafePointer($0) }.withUnsafeBufferPointer { values in
            PQsendQueryParams(handle, text, Int32(values.count), nil, values.baseAddress, nil, nil, 0)
        }
        guard !isLost, sent == 1 else { throw lose() }
        try sync()
        let failure = try readAnswer()
        try readSync()
        if let failure { throw failure }
    }

    /// Runs statements outside pipeline mode, which takes one at a time.
    func script(_ text: String) throws(SQLError) {
        guard !isLost, PQexitPipelineMode(handle) == 1, PQsendQuery(handle, text) == 1 else { throw lose() }
        answerBy = .now + limit + Self.grace
        let failure = try readAnswer()
        guard PQenterPipelineMode(handle) == 1 else { throw lose() }
        if let failure { throw failure }
    }

    /// Number of rows that a command inserted, updated or deleted.
    static func changes(_ result: OpaquePointer) -> Int {
        guard let tag = PQcmdStatus(result), tag.pointee != UInt8(ascii: "S"), let count = PQcmdTuples(result) else {
            return 0
        }
        return Int(atoi(count))
    }
}

extension PostgreSQLConfiguration {
    /// libpq's options for a connection to one of these servers.
    fileprivate func options(
        for role: PostgreSQLConnection.Role, at servers: [String: String]
    ) -> [String: String] {
        var session = [
            "statement_timeout=\(statementTimeout)", "lock_timeout=\(lockTimeout)",
            "idle_in_transaction_session_timeout=\(idleTransactionTimeout)", "client_min_messages=error",
            // Compiling a statement takes longer than running any of these.
            "jit=off",
        ]
        switch role {
        case .reader:
            session += ["default_transaction_isolation=repeatable\\ read", "default_transaction_read_only=on"]
        case .writer: session += ["default_transaction_isolation=read\\ committed"]
        }
        if isReadOnly, role == .writer { session.append("default_transaction_read_only=on") }
        if let schema { session.append("search_path=\(schema)") }
        var options = servers
        options["options"] = session.map { "-c \($0)" }.joined(separator: " ")
        options["client_encoding"] = "UTF8"
        // A reader's session does not count as read-write. Of a pair, both kinds take the one that takes changes.
        let attributes = isReadOnly ? "any" : options["target_session_attrs"] ?? "read-write"
        options["target_session_attrs"] = role == .reader && attributes == "read-write" ? "primary" : attributes
        return options
    }
}
