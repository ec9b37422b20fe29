import CMicroHTTPD
import CMicroHTTPDSeam
import Glibc
import HTTPModel
import Synchronization

/// State that the event threads and the supervisor share, with libmicrohttpd's callbacks.
final class ServerCore: Sendable {
    let configuration: HTTPServerConfiguration
    let observer: (any HTTPServerObserver)?
    let answerSynchronously: SynchronousHandler
    let handler: Handler
    let table: ConnectionTable
    let bodies: BodyBudget
    let deadlines: Deadlines

    /// The limits' durations in milliseconds, converted once because each request uses a few.
    struct Deadlines: Sendable {
        /// Time from the end of one request until the next head is complete.
        let nextHead: UInt64
        let body: UInt64
        let exchange: UInt64

        init(_ limits: HTTPLimits) {
            nextHead = limits.idleTimeout.milliseconds + limits.headDeadline.milliseconds
            body = limits.bodyDeadline.milliseconds
            exchange = limits.exchangeDeadline.milliseconds
        }
    }

    /// Suspended connections, and the bit that refuses more.
    private let suspensions = Atomic<Int>(0)
    private static let closed = 1 << 62
    private let isStopping = Atomic<Bool>(false)
    private let sequence = Atomic<UInt64>(0)
    private let idPrefix: UInt64
    private let newest: Mutex<Certificate?>

    init(
        configuration: HTTPServerConfiguration, observer: (any HTTPServerObserver)?,
        answerSynchronously: @escaping SynchronousHandler,
        handler: @escaping Handler
    ) throws(HTTPServerError) {
        self.configuration = configuration
        self.observer = observer
        self.answerSynchronously = answerSynchronously
        self.handler = handler
        table = ConnectionTable(limits: configuration.limits)
        bodies = BodyBudget(limit: configuration.limits.bodyBytesInAll)
        deadlines = Deadlines(configuration.limits)
        idPrefix = UInt64.random(in: 0..<1 << 25)
        var certificate: Certificate?
        if let identity = configuration.tls { certificate = try Certificate(identity) }
        newest = Mutex(certificate)
    }

    /// Certificate that new connections present.
    var certificate: Certificate? {
        get { newest.withLock { $0 } }
        set { newest.withLock { $0 = newValue } }
    }

    // MARK: Suspending

    /// Counts one suspension, unless the server is closing. The caller suspends the connection right after.
    func beginSuspension() -> Bool {
        if suspensions.add(1, ordering: .acquiringAndReleasing).oldValue & Self.closed == 0 { return true }
        suspensions.subtract(1, ordering: .acquiringAndReleasing)
        return false
    }

    /// Resumes a suspended connection, once for each suspension.
    func resume(_ connection: OpaquePointer) {
        MHD_resume_connection(connection)
        // After the call, because libmicrohttpd must not be stopped during it.
        suspensions.subtract(1, ordering: .acquiringAndReleasing)
    }

    func refuseSuspensions() { suspensions.bitwiseOr(Self.closed, ordering: .acquiringAndReleasing) }

    var suspendedCount: Int { suspensions.load(ordering: .acquiring) & ~Self.closed }

    /// Makes every further answer end its connection.
    func beginStopping() { isStopping.store(true, ordering: .relaxed) }

    // MARK: Answers

    /// The exchange is nil if nothing of the request was read.
    func render(_ refusal: HTTPRefusal, _ exchange: Exchange?) -> Response {
        configuration.renderRefusal(
            refusal,
            Request(method: HTTPMethod(exchange?.method ?? ""), path: exchange?.path ?? "", id: exchange?.id ?? ""))
    }

    /// Returns fifteen characters, which fit in a `String` without an allocation. Unique in this process, and different
    /// between processes. Not a secret.
    func nextID() -> String {
        var number = sequence.add(1, ordering: .relaxed).newValue & (1 << 50 - 1)
        var prefix = idPrefix
        return String(unsafeUninitializedCapacity: 15) { buffer in
            for index in (5..<15).reversed() {
                buffer[index] = Self.character(number & 31)
                number >>= 5
            }
            for index in (0..<5).reversed() {
                buffer[index] = Self.character(prefix & 31)
                prefix >>= 5
            }
            return 15
        }
    }

    private static func character(_ digit: UInt64) -> UInt8 {
        let digit = UInt8(truncatingIfNeeded: digit)
        return digit < 26 ? UInt8(ascii: "a") + digit : UInt8(ascii: "2") + digit - 26
    }

    /// Hands an answer to libmicrohttpd.
    func queue(
        _ response: Response, for exchange: Exchange, on connection: OpaquePointer, closing: Bool = false
    ) -> MHD_Result {
        var response = response
        if !(200...599).contains(response.status) { response = render(.unusableResponse, exchange) }
        guard let answer = makeAnswer(response, exchange, connection) ?? retry(exchange, connection) else { return .NO }
        defer { MHD_destroy_response(answer) }
        if closing || isStopping.load(ordering: .relaxed) { MHD_add_response_header(answer, "Connection", "close") }
        if exchange.stream == nil {
            exchange.connection.enter(.sending, until: MonotonicClock.milliseconds + deadlines.exchange)
        } else {
            exchange.connection.enter(.streaming)
            exchange.connection.watch(exchange)
        }
        return countersign_mhd_queue(connection, UInt32(exchange.status), answer)
    }

    private func retry(_ exchange: Exchange, _ connection: OpaquePointer) -> OpaquePointer? {
        exchange.stream?.close()
        exchange.stream = nil
        return makeAnswer(render(.unusableResponse, exchange), exchange, connection)
    }

    /// Returns nil if a field cannot be sent: a line ending in a value would forge further fields.
    private func makeAnswer(_ response: Response, _ exchange: Exchange, _ connection: OpaquePointer) -> OpaquePointer? {
        let answer: OpaquePointer?
        switch response.body {
        case .bytes(let bytes):
            exchange.responseBytes = bytes.count
            answer = bytes.withUnsafeBytes { buffer in
                MHD_create_response_from_buffer(
                    buffer.count, UnsafeMutableRawPointer(mutating: buffer.baseAddress), .RESPMEM_MUST_COPY)
            }
        case .stream where exchange.method == "HEAD", .parts where exchange.method == "HEAD":
            answer = MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT)
        case .stream(let elements): answer = streamed(exchange, connection) { $0.consume(elements) }
        case .parts(let next): answer = streamed(exchange, connection) { $0.send(next) }
        }
        guard let answer else { return nil }
        exchange.status = response.status
        // Browsers must not guess a content type (Fetch Standard, "X-Content-Type-Options").
        var isSendable =
            Self.add("X-Request-Id", exchange.id, to: answer)
            && Self.add("X-Content-Type-Options", "nosniff", to: answer)
        for field in response.fields where isSendable && !field.value.isEmpty && !Self.isOwn(field.name) {
            isSendable = Self.add(field.name, field.value, to: answer)
        }
        if isSendable { return answer }
        MHD_destroy_response(answer)
        return nil
    }

    /// `begin` gives the stream its bytes.
    private func streamed(
        _ exchange: Exchange, _ connection: OpaquePointer, _ begin: (ResponseStream) -> Void
    ) -> OpaquePointer? {
        let stream = ResponseStream(
            core: self, connection: exchange.connection, handle: connection, endsWithConnection: exchange.isVersion10)
        exchange.stream = stream
        let answer = MHD_create_response_from_callback(
            .max, 16_384,
            { context, _, buffer, size in
                guard let context, let buffer else { return countersign_mhd_end_with_error }
                let stream = Unmanaged<ResponseStream>.fromOpaque(context).takeUnretainedValue()
                return stream.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size))
            }, Unmanaged.passUnretained(stream).toOpaque(), nil)
        if answer != nil { begin(stream) }
        return answer
    }

    private static func add(_ name: String, _ value: String, to answer: OpaquePointer) -> Bool {
        // `withCString` avoids the copy to an array that passing a string as a pointer makes.
        name.withCString { name in value.withCString { MHD_add_response_header(answer, name, $0) == .YES } }
    }

    /// True for fields that the library or `makeAnswer` writes.
    private static func isOwn(_ name: String) -> Bool {
        switch name.utf8.count {
        case 14: name.lowercased() == "content-length"
        case 17: name.lowercased() == "transfer-encoding"
        case 22: name.lowercased() == "x-content-type-options"
        default: false
        }
    }
}
