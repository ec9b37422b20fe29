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

/// A libcurl handle with its connection, which one thread at a time uses. Freeing it with an open connection may block.
final class SMTPConnection: @unchecked Sendable {
    fileprivate let handle: UnsafeMutableRawPointer

    init?() {
        guard CurlLibrary.isReady, let handle = curl_easy_init() else { return nil }
        self.handle = handle
    }

    deinit { curl_easy_cleanup(handle) }
}

/// Mail or check of one exchange.
enum SMTPTask: Sendable {
    case send([UInt8], to: MailAddress)
    /// Logs in and sends `NOOP`.
    case check
    /// Ends a kept connection by `QUIT`. The reply is not waited for long.
    case end

    fileprivate var message: [UInt8] { if case .send(let message, _) = self { message } else { [] } }
    fileprivate var recipient: MailAddress? { if case .send(_, let recipient) = self { recipient } else { nil } }
    fileprivate var isEnd: Bool { if case .end = self { true } else { false } }
}

/// One mail, or a check, on a connection. Blocks its thread.
final class SMTPExchange {
    /// Limit for the reply to QUIT.
    static let partingTime = Duration.seconds(3)
    /// A connection that is cut earlier after the whole mail belongs to a server that fails, not to a slow one.
    private static let slowness = Duration.seconds(10)

    private let handle: UnsafeMutableRawPointer
    private var recipients: UnsafeMutablePointer<curl_slist>?
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private let configuration: SMTPTransport.Configuration
    private let task: SMTPTask
    private let message: [UInt8]
    private let cancellation: SMTPCancellation
    /// True if the connection served an earlier exchange.
    private let isKept: Bool
    private let start = ContinuousClock.now
    private var sent = 0
    /// Time at which libcurl had the whole mail.
    private var wholeAt: ContinuousClock.Instant?
    private var replies: SMTPReplies
    /// Limit that stopped the exchange.
    private var stopReason: String?
    /// Address that the policy refused.
    private var refusedAddress: String?

    enum Outcome {
        case done
        case failed(MailFailure, refusesLogin: Bool = false)
        /// The connection was kept from an earlier exchange and is gone. Nothing of the mail was sent.
        case stale

        var result: Result<Void, MailFailure> {
            switch self {
            case .done: .success(())
            case .failed(let failure, _): .failure(failure)
            case .stale: .failure(.failed("the connection is gone"))
            }
        }
    }

    static func run(
        _ task: SMTPTask, _ configuration: SMTPTransport.Configuration, on connection: SMTPConnection, isKept: Bool,
        until cancellation: SMTPCancellation
    ) -> Outcome {
        let exchange = SMTPExchange(connection.handle, task, configuration, isKept, cancellation)
        guard exchange.prepare() else {
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
        self.task = task
        message = task.message
        replies = SMTPReplies(account: configuration.user != nil, startsTLS: configuration.startsTLS)
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        // The handle lives on, without pointers to this exchange. It keeps its connection.
        curl_easy_reset(handle)
        curl_slist_free_all(recipients)
        errorText.deallocate()
    }

    private func prepare() -> Bool {
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
        // The path is the name in the greeting (RFC 5321 clause 4.1.1.1).
        set(CURLOPT_URL, "\(configuration.url)/\(PercentEncoding.encode(configuration.from.domain))")
        set(CURLOPT_USE_SSL, Int(configuration.needsTLS ? CURLUSESSL_ALL.rawValue : CURLUSESSL_NONE.rawValue))
        set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        isTaken = (try? configuration.trust.apply(to: handle)) != nil && isTaken
        if let user = configuration.user { set(CURLOPT_USERNAME, user) }
        if let password = configuration.password {
            set(CURLOPT_PASSWORD, String(decoding: password.bytes, as: UTF8.self))
        }
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_ERRORBUFFER, UnsafeMutableRawPointer(errorText))
        setTimes { set($0, $1) }
        switch task {
        case .send(_, let recipient):
            recipients = curl_slist_append(nil, "<\(recipient)>")
            isTaken = isTaken && recipients != nil
            set(CURLOPT_MAIL_FROM, "<\(configuration.from)>")
            set(CURLOPT_MAIL_RCPT, UnsafeMutableRawPointer(recipients))
            set(CURLOPT_UPLOAD, 1)
        case .check, .end:
            set(CURLOPT_CUSTOMREQUEST, "NOOP")
            set(CURLOPT_NOBODY, 1)
            set(CURLOPT_FORBID_REUSE, task.isEnd ? 1 : 0)
        }
        return setCallbacks() && isTaken
    }

    /// libcurl's own limits are beyond those that `goesOn` has for each part: it has one for all replies, of which the
    /// last needs more time than the others.
    private func setTimes(_ set: (CURLoption, Int) -> Void) {
        let connection = max(configuration.connectTimeout.milliseconds, 1)
        let whole = task.isEnd ? Self.partingTime : configuration.timeout + configuration.acceptTimeout + .seconds(5)
        set(CURLOPT_CONNECTTIMEOUT_MS, Int(connection))
        set(CURLOPT_TIMEOUT_MS, Int(max(whole.milliseconds, 1)))
        set(CURLOPT_SERVER_RESPONSE_TIMEOUT, Int(max(whole.milliseconds / 1000, 1)))
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
            let exchange = Unmanaged<SMTPExchange>.fromOpaque(own).takeUnretainedValue()
            exchange.replies.take(UnsafeRawBufferPointer(start: bytes, count: size * count))
            // Otherwise libcurl would go on without a login.
            return exchange.replies.lacksLogin ? 0 : size * count
        }
        let rest: curl_write_callback = { _, size, count, _ in size * count }
        // libcurl calls this about once a second, also while it waits.
        let goesOn: curl_xferinfo_callback = { own, _, _, _, _ in
            guard let own else { return 1 }
            return Unmanaged<SMTPExchange>.fromOpaque(own).takeUnretainedValue().goesOn() ? 0 : 1
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

    // MARK: callbacks

    /// libcurl doubles leading dots of lines (RFC 5321 clause 4.5.2).
    private func read(into buffer: UnsafeMutablePointer<CChar>, _ room: Int) -> Int {
        let count = min(room, message.count - sent)
        message.withUnsafeBytes { bytes in
            if count > 0, let start = bytes.baseAddress { memcpy(buffer, start + sent, count) }
        }
        sent += count
        if sent == message.count, wholeAt == nil {
            wholeAt = .now
            replies.mailIsSent()
        }
        return count
    }

    /// False after a limit: of the exchange up to the whole mail, of its acceptance, and of the QUIT after a refusal.
    private func goesOn() -> Bool {
        let now = ContinuousClock.now
        if cancellation.isCancelled { return false }
        if let refusedAt = replies.refusedAt, now - refusedAt > Self.partingTime { return false }
        if task.isEnd { return now - start <= Self.partingTime * 2 }
        if let wholeAt {
            guard now - wholeAt > configuration.acceptTimeout else { return true }
            stopReason = "no reply to the whole mail within \(configuration.acceptTimeout)"
        } else {
            guard now - start > configuration.timeout else { return true }
            stopReason = "no end within \(configuration.timeout)"
        }
        return false
    }

    private func openSocket(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        // The connection to end is gone.
        if task.isEnd { return -1 }
        do throws(OutgoingSocket.Refusal) {
            return try OutgoingSocket.open(address, by: configuration.policy, isSecure: true)
        } catch {
            refusedAddress = error.address
            return -1
        }
    }

    // MARK: outcome

    /// Beginnings of libcurl's words about the commands after the login.
    private static let afterLogin = ["MAIL failed", "RCPT failed", "DATA failed"]

    private func perform() -> Outcome {
        let code = curl_easy_perform(handle)
        guard code != CURLE_OK else { return .done }
        if let refusedAddress { return .failed(.failed("\(refusedAddress) is not allowed: it is not public")) }
        if replies.lacksLogin { return .failed(.failed("the server offers no login")) }
        var (status, connects) = (0, 0)
        _ = countersign_curl_get_long(handle, CURLINFO_RESPONSE_CODE, &status)
        _ = countersign_curl_get_long(handle, CURLINFO_NUM_CONNECTS, &connects)
        // 421 ends a connection (RFC 5321 clause 3.8).
        if isKept, connects == 0, sent == 0, status < 400 || status == 421, !cancellation.isCancelled { return .stale }
        let detail = String(cString: errorText)
        let words = detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail
        guard let refusal = replies.refusal else {
            let text = stopReason ?? words
            guard let wholeAt, stopReason != nil || ContinuousClock.now - wholeAt > Self.slowness else {
                return .failed(.failed(text))
            }
            return .failed(.unanswered(text))
        }
        let step: MailServerReply.Step =
            if sent > 0 || detail.hasPrefix("DATA failed") {
                .content
            } else {
                detail.hasPrefix("RCPT failed") ? .recipient : .beginning
            }
        let label = sent > 0 ? "the mail was refused" : String(words.prefix { $0 != ":" })
        // Before the sender, a server may quote the login.
        let mayQuoteLogin =
            configuration.user != nil && sent == 0
            && (code == CURLE_LOGIN_DENIED || !Self.afterLogin.contains(where: detail.hasPrefix))
        let reply =
            mayQuoteLogin ? refusal.status ?? "" : "\(MaskedWords(refusal.words, hiding: task.recipient))"
        let text = "\(label): \(refusal.code)\(reply.isEmpty ? "" : " \(reply)")"
        return .failed(
            refusal.failure(at: step, text), refusesLogin: code == CURLE_LOGIN_DENIED && refusal.code >= 500)
    }
}
