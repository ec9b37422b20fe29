import CCurl
import CurlTransport
import Flows
import HTTPModel
import Primitives
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Cancels an exchange from another thread.
final class SMTPCancellation: Sendable {
    private let flag = Atomic(false)

    var isCancelled: Bool { flag.load(ordering: .relaxed) }

    func cancel() { flag.store(true, ordering: .relaxed) }
}

/// A libcurl handle with its connection, which one thread at a time uses. Freeing it says `QUIT` and may block.
final class SMTPConnection: @unchecked Sendable {
    private static let libraryIsReady = countersign_curl_global_init() == CURLE_OK

    fileprivate let handle: UnsafeMutableRawPointer

    init?() {
        guard Self.libraryIsReady, let handle = curl_easy_init() else { return nil }
        self.handle = handle
    }

    deinit { curl_easy_cleanup(handle) }
}

/// Mail or check of one exchange.
enum SMTPTask: Sendable {
    case send([UInt8], to: MailAddress)
    /// Logs in and goes.
    case check
}

/// One mail, or a check, on a connection. Blocks its thread.
final class SMTPExchange {
    private let handle: UnsafeMutableRawPointer
    private var recipients: UnsafeMutablePointer<curl_slist>?
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private let configuration: SMTPTransport.Configuration
    private let message: [UInt8]
    private let cancellation: SMTPCancellation
    /// True if the connection served an earlier exchange.
    private let isKept: Bool
    private var sent = 0
    /// The last line of a permanent refusal. The reply to QUIT may follow it.
    private var reply = ""
    /// Address that the policy refused.
    private var refusedAddress: String?

    enum Outcome {
        case done
        case failed(MailFailure)
        /// The connection was kept from an earlier exchange and is gone. Nothing of the mail was sent.
        case stale
    }

    static func run(
        _ task: SMTPTask, _ configuration: SMTPTransport.Configuration, on connection: SMTPConnection, isKept: Bool,
        until cancellation: SMTPCancellation
    ) -> Outcome {
        let exchange = SMTPExchange(connection.handle, task, configuration, isKept, cancellation)
        guard exchange.prepare(task) else {
            return .failed(.failed("libcurl does not take the mail server's settings"))
        }
        return exchange.perform()
    }

    private init(
        _ handle: UnsafeMutableRawPointer, _ task: SMTPTask, _ configuration: SMTPTransport.Configuration,
        _ isKept: Bool, _ cancellation: SMTPCancellation
    ) {
        self.handle = handle
        self.configuration = configuration
        self.cancellation = cancellation
        self.isKept = isKept
        message = if case .send(let message, _) = task { message } else { [] }
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        // The handle lives on, without pointers to this exchange. It keeps its connection.
        curl_easy_reset(handle)
        curl_slist_free_all(recipients)
        errorText.deallocate()
    }

    private func prepare(_ task: SMTPTask) -> Bool {
        var isTaken = true
        func set(_ option: CURLoption, _ text: String) {
            isTaken = countersign_curl_set_string(handle, option, text) == CURLE_OK && isTaken
        }
        func set(_ option: CURLoption, _ value: Int) {
            isTaken = countersign_curl_set_long(handle, option, value) == CURLE_OK && isTaken
        }
        func set(_ option: CURLoption, _ pointer: UnsafeMutableRawPointer?) {
            isTaken = countersign_curl_set_pointer(handle, option, pointer) == CURLE_OK && isTaken
        }
        set(CURLOPT_PROTOCOLS_STR, "smtp,smtps")
        set(CURLOPT_PROXY, "")
        set(CURLOPT_URL, configuration.url)
        set(CURLOPT_USE_SSL, Int(configuration.needsTLS ? CURLUSESSL_ALL.rawValue : CURLUSESSL_NONE.rawValue))
        set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        if case .file(let path) = configuration.trust {
            set(CURLOPT_CAINFO, path)
            // Otherwise libcurl would also trust the system's certificate folder.
            _ = countersign_curl_set_string(handle, CURLOPT_CAPATH, nil)
        }
        if let user = configuration.user { set(CURLOPT_USERNAME, user) }
        if let password = configuration.password {
            set(CURLOPT_PASSWORD, String(decoding: password.bytes, as: UTF8.self))
        }
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_CONNECTTIMEOUT_MS, Int(max(configuration.connectTimeout.milliseconds, 1)))
        set(CURLOPT_TIMEOUT_MS, Int(max(configuration.timeout.milliseconds, 1)))
        set(CURLOPT_ERRORBUFFER, UnsafeMutableRawPointer(errorText))
        switch task {
        case .send(_, let recipient):
            recipients = curl_slist_append(nil, "<\(recipient)>")
            isTaken = isTaken && recipients != nil
            set(CURLOPT_MAIL_FROM, "<\(configuration.from)>")
            set(CURLOPT_MAIL_RCPT, UnsafeMutableRawPointer(recipients))
            set(CURLOPT_UPLOAD, 1)
        case .check:
            set(CURLOPT_CUSTOMREQUEST, "NOOP")
            set(CURLOPT_NOBODY, 1)
        }
        return setCallbacks() && isTaken
    }

    private func setCallbacks() -> Bool {
        let own = Unmanaged.passUnretained(self).toOpaque()
        for data in [
            CURLOPT_READDATA, CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_XFERINFODATA, CURLOPT_OPENSOCKETDATA,
        ] {
            _ = countersign_curl_set_pointer(handle, data, own)
        }
        let read: curl_read_callback = { buffer, size, count, own in
            guard let buffer, let own else { return 0 }
            return Unmanaged<SMTPExchange>.fromOpaque(own).takeUnretainedValue().read(into: buffer, size * count)
        }
        // libcurl gives it each line of the server's replies.
        let line: curl_write_callback = { bytes, size, count, own in
            guard let bytes, let own else { return 0 }
            let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
            if line.first == UInt8(ascii: "5") {
                Unmanaged<SMTPExchange>.fromOpaque(own).takeUnretainedValue().reply =
                    String(decoding: line.prefix(64), as: UTF8.self)
            }
            return size * count
        }
        let rest: curl_write_callback = { _, size, count, _ in size * count }
        // libcurl calls this about once a second, also while it waits.
        let goesOn: curl_xferinfo_callback = { own, _, _, _, _ in
            guard let own else { return 1 }
            return Unmanaged<SMTPExchange>.fromOpaque(own).takeUnretainedValue().cancellation.isCancelled ? 1 : 0
        }
        let open: curl_opensocket_callback = { own, _, address in
            guard let own, let address else { return -1 }
            return Unmanaged<SMTPExchange>.fromOpaque(own).takeUnretainedValue().openSocket(address)
        }
        _ = countersign_curl_set_long(handle, CURLOPT_NOPROGRESS, 0)
        return [
            countersign_curl_set_read_callback(handle, CURLOPT_READFUNCTION, read),
            countersign_curl_set_callback(handle, CURLOPT_HEADERFUNCTION, line),
            countersign_curl_set_callback(handle, CURLOPT_WRITEFUNCTION, rest),
            countersign_curl_set_progress_callback(handle, CURLOPT_XFERINFOFUNCTION, goesOn),
            countersign_curl_set_socket_callback(handle, CURLOPT_OPENSOCKETFUNCTION, open),
        ].allSatisfy { $0 == CURLE_OK }
    }

    /// libcurl doubles leading dots of lines (RFC 5321 clause 4.5.2).
    private func read(into buffer: UnsafeMutablePointer<CChar>, _ room: Int) -> Int {
        let count = min(room, message.count - sent)
        message.withUnsafeBytes { bytes in
            if count > 0, let start = bytes.baseAddress { memcpy(buffer, start + sent, count) }
        }
        sent += count
        return count
    }

    /// The check is final, because the connection goes to exactly this address.
    private func openSocket(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        if let policy = configuration.policy {
            let target = withUnsafePointer(to: &address.pointee.addr) { IPAddress($0) }
            guard let target, policy.allows(target, isSecure: true) else {
                refusedAddress = target?.description ?? "an address of another family"
                return -1
            }
        }
        return socket(address.pointee.family, address.pointee.socktype | O_CLOEXEC, address.pointee.`protocol`)
    }

    private func perform() -> Outcome {
        let code = curl_easy_perform(handle)
        guard code != CURLE_OK else { return .done }
        if let refusedAddress { return .failed(.failed("\(refusedAddress) is not allowed: it is not public")) }
        let detail = String(cString: errorText)
        let text = detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail
        var (status, connects) = (0, 0)
        _ = countersign_curl_get_long(handle, CURLINFO_RESPONSE_CODE, &status)
        _ = countersign_curl_get_long(handle, CURLINFO_NUM_CONNECTS, &connects)
        let isReply = code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR || code == CURLE_WEIRD_SERVER_REPLY
        // 421 ends a connection (RFC 5321 clause 3.8).
        if isKept, connects == 0, sent == 0, status < 400 || status == 421, !cancellation.isCancelled { return .stale }
        // The replies before judge the client or its sender, which the operator may correct, and not this mail. So does a
        // refusal to serve without a login (RFC 4954 clause 6), at any command.
        let isOfMail = detail.hasPrefix("RCPT failed") || detail.hasPrefix("DATA failed") || sent > 0
        guard isOfMail, (500...599).contains(status), ![530, 534, 535, 538].contains(status), isReply else {
            return .failed(.failed(text))
        }
        if detail.hasPrefix("RCPT failed"), let enhanced = Self.enhancedStatus(of: reply) {
            return .failed(.bounced(status: enhanced, "\(text) \(enhanced)"))
        }
        return .failed(.refused(text))
    }

    /// `5.1.1` of `550 5.1.1 No such user` (RFC 2034). Nil without one.
    static func enhancedStatus(of reply: String) -> String? {
        let word = reply.dropFirst(4).prefix { $0 == "." || $0.isASCII && $0.isNumber }
        let parts = word.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 3 && parts[0] == "5" && parts.allSatisfy({ (1...3).contains($0.utf8.count) })
            ? String(word) : nil
    }
}
