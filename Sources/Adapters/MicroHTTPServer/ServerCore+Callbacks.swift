import CMicroHTTPD
import CMicroHTTPDSeam
import Glibc
import HTTPModel

/// libmicrohttpd calls back for one connection on the same event thread, in this order: the connection opened; for each
/// request its target, its head, parts of its body, its end (again after each resume) and its completion; the
/// connection closed.
extension ServerCore {
    /// Room for 64 bytes per field and cookie, a copy of the cookies, an answer's head, reading a body, and a head over
    /// its limit, which the library would otherwise refuse in its own words. The library clears all of a connection's
    /// memory after each request, so more would cost every request.
    private static let answerMemory = 12_288

    func start(
        certificates: UnsafePointer<CChar>?, privateKey: UnsafePointer<CChar>?, priorities: UnsafePointer<CChar>?,
        threads: Int, complaint: UnsafeMutablePointer<countersign_mhd_complaint>
    ) -> OpaquePointer? {
        var settings = countersign_mhd_settings()
        settings.context = Unmanaged.passUnretained(self).toOpaque()
        settings.threads = UInt32(threads)
        settings.idle_timeout = UInt32((configuration.limits.idleTimeout.milliseconds + 999) / 1_000)
        settings.connection_memory = configuration.limits.headBytes + Self.answerMemory
        settings.certificates = certificates
        settings.private_key = privateKey
        settings.priorities = priorities
        countersign_mhd_on_refusal(Self.refuse)
        settings.connection = { context, handle, socketContext, event in
            guard let core = ServerCore.from(context), let handle, let socketContext else { return }
            core.connectionChanged(handle, socketContext, event)
        }
        settings.target = { context, target, handle in
            guard let core = ServerCore.from(context), let target, let handle else { return nil }
            return core.requestBegan(handle, target)
        }
        settings.handle = { context, handle, target, method, version, part, size, exchange in
            guard let core = ServerCore.from(context), let handle, let target, let method, let version, let size,
                let exchange = exchange?.pointee
            else { return .NO }
            return core.requestContinued(
                handle, Unmanaged<Exchange>.fromOpaque(exchange).takeUnretainedValue(),
                RequestLine(target: target, method: method, version: version), part, size)
        }
        settings.completed = { context, handle, exchange, outcome in
            guard let core = ServerCore.from(context), let handle, let exchange, let pointer = exchange.pointee else {
                return
            }
            exchange.pointee = nil
            core.requestEnded(handle, Unmanaged<Exchange>.fromOpaque(pointer).takeRetainedValue(), outcome)
        }
        return countersign_mhd_start(&settings, complaint)
    }

    private struct RequestLine {
        let target: UnsafePointer<CChar>
        let method: UnsafePointer<CChar>
        let version: UnsafePointer<CChar>
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> ServerCore? {
        context.map { Unmanaged<ServerCore>.fromOpaque($0).takeUnretainedValue() }
    }

    private func connectionChanged(
        _ handle: OpaquePointer, _ socketContext: UnsafeMutablePointer<UnsafeMutableRawPointer?>,
        _ event: MHD_ConnectionNotificationCode
    ) {
        if event == .CONNECTION_NOTIFY_STARTED {
            if configuration.requestsClientCertificates { countersign_mhd_request_certificate(handle) }
            guard let connection = table.takeUp(countersign_mhd_socket(handle)) else { return }
            connection.presentCertificate(on: handle)
            if configuration.tls != nil { countersign_mhd_answer_plain_text(handle, Self.plainTextAnswer) }
            socketContext.pointee = Unmanaged.passRetained(connection).toOpaque()
        } else if let pointer = socketContext.pointee {
            socketContext.pointee = nil
            let connection = Unmanaged<Connection>.fromOpaque(pointer).takeRetainedValue()
            connection.markClosed()
            table.remove(connection.socket)
        }
    }

    private func requestBegan(_ handle: OpaquePointer, _ target: UnsafePointer<CChar>) -> UnsafeMutableRawPointer? {
        guard let pointer = countersign_mhd_socket_context(handle) else { return nil }
        let connection = Unmanaged<Connection>.fromOpaque(pointer).takeUnretainedValue()
        let exchange = Exchange(core: self, connection: connection, handle: handle, id: nextID(), target: target)
        let begun = Unmanaged.passRetained(exchange)
        connection.begun = begun
        return begun.toOpaque()
    }

    private func requestContinued(
        _ handle: OpaquePointer, _ exchange: Exchange, _ line: RequestLine, _ part: UnsafePointer<CChar>?,
        _ size: UnsafeMutablePointer<Int>
    ) -> MHD_Result {
        if !exchange.headIsRead {
            exchange.headIsRead = true
            return readHead(handle, exchange, line)
        }
        if let part, size.pointee > 0 {
            let count = size.pointee
            size.pointee = 0
            exchange.receive(UnsafeRawBufferPointer(start: part, count: count))
            return .YES
        }
        if exchange.handlerStarted {
            guard case .answered(let response) = exchange.proceed() else { return .YES }
            exchange.connection.watch(nil)
            return queue(response, for: exchange, on: handle)
        }
        if let rejection = exchange.rejection { return queue(rejection, for: exchange, on: handle, closing: true) }
        let request = request(of: exchange, on: handle)
        exchange.fields = []
        exchange.body = []
        exchange.clientAddress = configuration.clientAddress?(request)
        exchange.connection.enter(.handling)
        if let response = answerSynchronously(request) { return queue(response, for: exchange, on: handle) }
        switch exchange.start(request) {
        case .answered(let response):
            exchange.connection.watch(nil)
            return queue(response, for: exchange, on: handle)
        case .suspended: return .YES
        }
    }

    /// The received part of the request.
    private func request(of exchange: Exchange, on handle: OpaquePointer) -> Request {
        Request(
            method: HTTPMethod(exchange.method), path: exchange.path, query: exchange.query,
            fields: HTTPFields(exchange.fields), body: exchange.body, remoteAddress: exchange.connection.address.text,
            isSecure: configuration.tls != nil,
            clientCertificate: configuration.requestsClientCertificates ? Self.certificate(of: handle) : nil,
            id: exchange.id, client: exchange)
    }

    private static func certificate(of handle: OpaquePointer) -> ClientCertificate? {
        var count: UInt32 = 0
        guard let first = countersign_mhd_certificates(handle, &count) else { return nil }
        let chain = UnsafeBufferPointer(start: first, count: Int(count)).map { certificate in
            Array(UnsafeBufferPointer(start: certificate.data, count: Int(certificate.size)))
        }
        return chain.first.map { ClientCertificate(leaf: $0, issuers: Array(chain.dropFirst())) }
    }

    /// Reads the head. An answer queued here, before the body, also closes the connection.
    private func readHead(_ handle: OpaquePointer, _ exchange: Exchange, _ line: RequestLine) -> MHD_Result {
        var head = RequestHead(
            of: handle, method: line.method, target: line.target, targetLength: exchange.targetLength,
            version: line.version, limits: configuration.limits)
        var refusal = head.refusal
        if head.hasRequestLine {
            exchange.method = String(cString: line.method)
            exchange.path = String(cString: line.target)
            do throws(HTTPRefusal) {
                let target = try RequestTarget(exchange.path, query: exchange.query)
                exchange.path = target.path
                if let authority = target.authority { head.setHost(authority) }
            } catch {
                refusal = refusal ?? error
                // The path is logged, and must not contain a password.
                if exchange.path.utf8.contains(UInt8(ascii: "@")) { exchange.path = "-" }
            }
        }
        if let refusal { return queue(render(refusal, exchange), for: exchange, on: handle, closing: true) }
        exchange.fields = head.fields
        exchange.isVersion10 = head.isVersion10
        guard let length = head.contentLength, length > 0 else { return .YES }
        exchange.contentLength = length
        exchange.rejection = rejection(of: exchange, on: handle)
        if let rejection = exchange.rejection,
            head.expectsContinue || length - configuration.limits.bodyBytes > HTTPLimits.discardedBytes
        {
            return queue(rejection, for: exchange, on: handle, closing: true)
        }
        exchange.connection.enter(.receivingBody, until: MonotonicClock.milliseconds + deadlines.body)
        return .YES
    }

    /// Answer that refuses the body. Nil accepts the body.
    private func rejection(of exchange: Exchange, on handle: OpaquePointer) -> Response? {
        let limits = configuration.limits
        let smallLimit = min(limits.smallBodyBytes, limits.bodyBytes)
        guard exchange.contentLength > smallLimit else { return nil }
        guard exchange.contentLength <= limits.bodyBytes else {
            return render(.bodyTooLarge(limit: limits.bodyBytes), exchange)
        }
        switch configuration.largeBodies(request(of: exchange, on: handle)) {
        case .taken: return nil
        case .tooLarge: return render(.bodyTooLarge(limit: smallLimit), exchange)
        case .refused(let response): return response
        }
    }

    // MARK: Unreadable requests

    /// Answers in place of the library, on the connection's event thread, and closes the connection.
    private static let refuse: countersign_mhd_refuse = { handle, status in
        guard let handle, let pointer = countersign_mhd_socket_context(handle) else { return }
        let connection = Unmanaged<Connection>.fromOpaque(pointer).takeUnretainedValue()
        connection.core.answerUnreadable(handle, connection, Int(status))
    }

    private func answerUnreadable(_ handle: OpaquePointer, _ connection: Connection, _ status: Int) {
        let exchange = connection.begun?.takeUnretainedValue()
        let refusal = HTTPRefusal.unreadable(status: status, limits: configuration.limits)
        exchange?.status = refusal.status
        let answer = LastAnswer.bytes(of: render(refusal, exchange), id: exchange?.id ?? nextID())
        answer.withUnsafeBytes { countersign_mhd_send_last(handle, $0.baseAddress, $0.count) }
    }

    /// Never freed.
    private nonisolated(unsafe) static let plainTextAnswer = UnsafePointer(
        strdup(String(decoding: LastAnswer.bytes(of: LastAnswer.speakTLS, id: nil), as: UTF8.self)))

    private func requestEnded(_ handle: OpaquePointer, _ exchange: Exchange, _ outcome: MHD_RequestTerminationCode) {
        exchange.connection.begun = nil
        exchange.end()
        if exchange.connection.phase != .sending { exchange.connection.watch(nil) }
        exchange.connection.enter(.awaitingHead, until: MonotonicClock.milliseconds + deadlines.nextHead)
        if exchange.status == 0 { exchange.status = Int(countersign_mhd_status(handle)) }
        observer?.requestFinished(exchange.record(outcome == .REQUEST_TERMINATED_COMPLETED_OK ? .completed : .aborted))
    }
}
