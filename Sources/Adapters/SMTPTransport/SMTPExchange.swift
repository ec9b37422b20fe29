import CCurl
import Flows
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

/// Sends one mail on its own connection, through libcurl. Blocks its thread.
final class SMTPExchange {
    private static let libraryIsReady = countersign_curl_global_init() == CURLE_OK

    private let handle: UnsafeMutableRawPointer
    private var recipients: UnsafeMutablePointer<curl_slist>?
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private let message: [UInt8]
    private let cancellation: SMTPCancellation
    private var sent = 0

    static func run(
        _ configuration: SMTPTransport.Configuration, to recipient: MailAddress, message: [UInt8],
        until cancellation: SMTPCancellation
    ) -> Result<Void, MailFailure> {
        guard libraryIsReady, let handle = curl_easy_init() else { return .failure(.failed("libcurl cannot start")) }
        let exchange = SMTPExchange(handle, message, cancellation)
        guard exchange.prepare(configuration, to: recipient) else {
            return .failure(.failed("libcurl does not take the mail server's settings"))
        }
        return exchange.perform()
    }

    private init(_ handle: UnsafeMutableRawPointer, _ message: [UInt8], _ cancellation: SMTPCancellation) {
        self.handle = handle
        self.cancellation = cancellation
        self.message = message
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        curl_easy_cleanup(handle)
        curl_slist_free_all(recipients)
        errorText.deallocate()
    }

    private func prepare(_ configuration: SMTPTransport.Configuration, to recipient: MailAddress) -> Bool {
        recipients = curl_slist_append(nil, "<\(recipient)>")
        var isTaken = recipients != nil
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
        set(CURLOPT_MAIL_FROM, "<\(configuration.from)>")
        set(CURLOPT_MAIL_RCPT, UnsafeMutableRawPointer(recipients))
        set(CURLOPT_UPLOAD, 1)
        set(CURLOPT_ERRORBUFFER, UnsafeMutableRawPointer(errorText))
        set(CURLOPT_READDATA, Unmanaged.passUnretained(self).toOpaque())
        let read: curl_read_callback = { buffer, size, count, own in
            guard let buffer, let own else { return 0 }
            return Unmanaged<SMTPExchange>.fromOpaque(own).takeUnretainedValue().read(into: buffer, size * count)
        }
        isTaken = countersign_curl_set_read_callback(handle, CURLOPT_READFUNCTION, read) == CURLE_OK && isTaken
        // libcurl calls this about once a second, also while it waits.
        let goesOn: curl_xferinfo_callback = { own, _, _, _, _ in
            guard let own else { return 1 }
            return Unmanaged<SMTPExchange>.fromOpaque(own).takeUnretainedValue().cancellation.isCancelled ? 1 : 0
        }
        set(CURLOPT_NOPROGRESS, 0)
        set(CURLOPT_XFERINFODATA, Unmanaged.passUnretained(self).toOpaque())
        return countersign_curl_set_progress_callback(handle, CURLOPT_XFERINFOFUNCTION, goesOn) == CURLE_OK && isTaken
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

    private func perform() -> Result<Void, MailFailure> {
        let code = curl_easy_perform(handle)
        guard code != CURLE_OK else { return .success(()) }
        let detail = String(cString: errorText)
        let text = detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail
        var reply = 0
        _ = countersign_curl_get_long(handle, CURLINFO_RESPONSE_CODE, &reply)
        // A server that refuses this client (RFC 4954 clause 6) does not judge the mail.
        let isOfMail = (500...599).contains(reply) && ![530, 534, 535, 538].contains(reply)
        let isReply = code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR || code == CURLE_WEIRD_SERVER_REPLY
        return .failure(isOfMail && isReply ? .refused(text) : .failed(text))
    }
}
