import CCurl
import CurlTransport
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

/// Bytes to and from a mail server. libcurl resolves, connects and speaks TLS, and knows nothing of SMTP. One thread at a
/// time uses a pipe. Blocks its thread.
final class SMTPPipe: @unchecked Sendable {
    struct Failure: Error {
        let text: String
    }

    private let host: String
    private let port: UInt16
    private let policy: OutgoingPolicy?
    private let cancellation: SMTPCancellation
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private let plain: UnsafeMutableRawPointer
    /// Speaks TLS on a copy of the socket.
    private var secure: UnsafeMutableRawPointer?
    private var descriptor: curl_socket_t = -1
    /// Address that the policy refused.
    private var refusedAddress: String?

    /// `host` is a name or an address as in a URL. `policy` nil allows every address.
    /// - Throws: if the connection is not open within `limit`.
    init(
        host: String, port: UInt16, policy: OutgoingPolicy?, within limit: Duration,
        until cancellation: SMTPCancellation
    ) throws(Failure) {
        guard CurlLibrary.isReady, let handle = curl_easy_init() else { throw Failure(text: "libcurl cannot start") }
        (self.host, self.port, self.policy, self.cancellation) = (host, port, policy, cancellation)
        plain = handle
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        try perform(plain, scheme: "http", within: limit) { _ in true }
        var opened: curl_socket_t = -1
        guard countersign_curl_get_socket(plain, &opened) == CURLE_OK, opened >= 0 else {
            throw Failure(text: "the connection ended")
        }
        descriptor = opened
    }

    deinit {
        if let secure { curl_easy_cleanup(secure) }
        curl_easy_cleanup(plain)
        errorText.deallocate()
    }

    /// Speaks TLS from now on.
    /// - Parameter trust: Authorities of the server's certificate, which must name the host. Nil takes every certificate.
    func beginTLS(trust: CurlTransport.Configuration.Trust?, within limit: Duration) throws(Failure) {
        var address: UnsafePointer<CChar>?
        guard secure == nil, countersign_curl_get_address(plain, &address) == CURLE_OK, let address,
            let handle = curl_easy_init()
        else { throw Failure(text: "libcurl cannot begin TLS") }
        secure = handle
        // Otherwise libcurl would resolve the name again. An address in brackets is none to resolve.
        let isName = !host.hasPrefix("[")
        let resolved = isName ? curl_slist_append(nil, "\(host):\(port):\(String(cString: address))") : nil
        defer { curl_slist_free_all(resolved) }
        try perform(handle, scheme: "https", within: limit) { isTaken in
            var isTaken = isTaken
            func set(_ option: CURLoption, _ value: Int) {
                isTaken = countersign_curl_set_long(handle, option, value) == CURLE_OK && isTaken
            }
            isTaken = countersign_curl_set_pointer(handle, CURLOPT_RESOLVE, resolved) == CURLE_OK && isTaken
            // A mail server speaks none of the protocols that libcurl would offer.
            set(CURLOPT_SSL_ENABLE_ALPN, 0)
            set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
            guard let trust else {
                set(CURLOPT_SSL_VERIFYPEER, 0)
                set(CURLOPT_SSL_VERIFYHOST, 0)
                return isTaken
            }
            return (try? trust.apply(to: handle)) != nil && isTaken
        }
        // The list is freed.
        _ = countersign_curl_set_pointer(handle, CURLOPT_RESOLVE, nil)
    }

    private func perform(
        _ handle: UnsafeMutableRawPointer, scheme: String, within limit: Duration, _ setMore: (Bool) -> Bool
    ) throws(Failure) {
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
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_PROXY, "")
        set(CURLOPT_URL, "\(scheme)://\(host):\(port)/")
        set(CURLOPT_CONNECT_ONLY, 1)
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_NOPROGRESS, 0)
        set(CURLOPT_CONNECTTIMEOUT_MS, Int(max(limit.milliseconds, 1)))
        set(CURLOPT_ERRORBUFFER, UnsafeMutableRawPointer(errorText))
        let own = Unmanaged.passUnretained(self).toOpaque()
        for data in [CURLOPT_XFERINFODATA, CURLOPT_OPENSOCKETDATA, CURLOPT_SOCKOPTDATA] { set(data, own) }
        isTaken = setCallbacks(handle) && setMore(isTaken)
        guard isTaken else { throw Failure(text: "libcurl does not take the mail server's settings") }
        errorText.pointee = 0
        let code = curl_easy_perform(handle)
        guard code != CURLE_OK else { return }
        if let refusedAddress { throw Failure(text: "\(refusedAddress) is not allowed: it is not public") }
        let detail = String(cString: errorText)
        throw Failure(text: detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail)
    }

    private func setCallbacks(_ handle: UnsafeMutableRawPointer) -> Bool {
        // libcurl calls this about once a second, also while it waits.
        let goesOn: curl_xferinfo_callback = { own, _, _, _, _ in
            guard let own else { return 1 }
            return Unmanaged<SMTPPipe>.fromOpaque(own).takeUnretainedValue().cancellation.isCancelled ? 1 : 0
        }
        let open: curl_opensocket_callback = { own, _, address in
            guard let own, let address else { return -1 }
            return Unmanaged<SMTPPipe>.fromOpaque(own).takeUnretainedValue().openSocket(address)
        }
        let connect: curl_sockopt_callback = { own, _, _ in
            guard let own else { return CURL_SOCKOPT_ERROR }
            let isOpen = Unmanaged<SMTPPipe>.fromOpaque(own).takeUnretainedValue().descriptor >= 0
            return isOpen ? CURL_SOCKOPT_ALREADY_CONNECTED : CURL_SOCKOPT_OK
        }
        return [
            countersign_curl_set_progress_callback(handle, CURLOPT_XFERINFOFUNCTION, goesOn),
            countersign_curl_set_socket_callback(handle, CURLOPT_OPENSOCKETFUNCTION, open),
            countersign_curl_set_sockopt_callback(handle, CURLOPT_SOCKOPTFUNCTION, connect),
        ].allSatisfy { $0 == CURLE_OK }
    }

    /// A new socket to an address that the policy allows, or for TLS the connected one.
    private func openSocket(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        if descriptor >= 0 { return fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }
        do throws(OutgoingSocket.Refusal) {
            return try OutgoingSocket.open(address, by: policy, isSecure: true)
        } catch {
            refusedAddress = error.address
            return -1
        }
    }

    // MARK: bytes

    private var handle: UnsafeMutableRawPointer { secure ?? plain }

    /// Bytes for libcurl at once. With TLS it reports none as sent until all are.
    private static let piece = 16_384

    /// Returns once libcurl and the system have all bytes.
    /// - Throws: also if a part of them is not taken within `limit`, or all within `whole`.
    func send(
        _ bytes: [UInt8], within limit: Duration, whole: Duration? = nil, _ cancellation: SMTPCancellation
    ) throws(Failure) {
        var sent = 0
        let last = ContinuousClock.now + (whole ?? limit)
        var end = min(ContinuousClock.now + limit, last)
        while sent < bytes.count {
            var count = 0
            let code = bytes.withUnsafeBytes { bytes in
                curl_easy_send(handle, bytes.baseAddress.map { $0 + sent }, min(bytes.count - sent, Self.piece), &count)
            }
            switch code {
            case CURLE_OK:
                sent += count
                end = min(ContinuousClock.now + limit, last)
            case CURLE_AGAIN:
                guard try wait(Int16(POLLOUT), until: end, cancellation) else {
                    throw Failure(text: "the server took no more of the mail within \(limit)")
                }
            default: throw Failure(text: "the connection ended")
            }
        }
    }

    /// Bytes that arrived. Nil if none arrive until `end`.
    func receive(until end: ContinuousClock.Instant, _ cancellation: SMTPCancellation) throws(Failure) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            var count = 0
            let code = buffer.withUnsafeMutableBytes { curl_easy_recv(handle, $0.baseAddress, $0.count, &count) }
            switch code {
            case CURLE_OK where count > 0: return Array(buffer[..<count])
            case CURLE_AGAIN: guard try wait(Int16(POLLIN), until: end, cancellation) else { return nil }
            default: throw Failure(text: "the connection ended")
            }
        }
    }

    /// Looks for the cancellation every tenth of a second.
    private func wait(
        _ events: Int16, until end: ContinuousClock.Instant, _ cancellation: SMTPCancellation
    ) throws(Failure) -> Bool {
        while true {
            guard !cancellation.isCancelled else { throw Failure(text: "the server stops") }
            let left = end - .now
            guard left > .zero else { return false }
            var state = pollfd(fd: descriptor, events: events, revents: 0)
            if poll(&state, 1, Int32(min(left.milliseconds + 1, 100))) > 0 { return true }
        }
    }
}
