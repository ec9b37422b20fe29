import CCurl
import HTTPModel
import Primitives

/// One request on a libcurl easy handle. It is used only on the loop's thread.
final class Transfer {
    typealias Handle = UnsafeMutableRawPointer

    let handle: Handle
    let receiver: any Receiver
    private let trustAdvice: String
    private let policy: OutgoingPolicy?
    private let isSecure: Bool
    private var head = HeadReader()
    /// Status of the answer. Nil before its head is complete.
    private(set) var status: Int?
    private var fieldList: UnsafeMutablePointer<curl_slist>?
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    /// Error of the callback that stopped the transfer.
    private var refusal: HTTPClientError?
    /// Times that libcurl began to send the request.
    private var sends = 0
    /// libcurl sends a request again if a kept connection had ended, and up to five times more if the server refuses its
    /// stream (RFC 9113 clause 8.7). Further tries are the caller's, with pauses.
    private static let mostSends = 2

    init(
        _ request: ClientRequest, _ receiver: any Receiver, _ configuration: CurlTransport.Configuration
    ) throws(HTTPClientError) {
        guard let handle = curl_easy_init() else { throw .other("libcurl is out of memory") }
        self.handle = handle
        self.receiver = receiver
        trustAdvice = configuration.trustAdvice
        policy = configuration.policy
        isSecure = request.url.lowercased().hasPrefix("https:")
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        try setConnection(configuration)
        try setTrust(configuration)
        try setRequest(request)
        setCallbacks()
    }

    deinit {
        curl_easy_cleanup(handle)
        curl_slist_free_all(fieldList)
        errorText.deallocate()
    }

    // MARK: Options

    private func set(_ option: CURLoption, _ value: Int) { _ = countersign_curl_set_long(handle, option, value) }

    private func set(_ option: CURLoption, _ value: String) throws(HTTPClientError) {
        guard countersign_curl_set_string(handle, option, value) == CURLE_OK else {
            throw .other("libcurl is out of memory")
        }
    }

    /// Sets a duration of at least one millisecond, because libcurl reads 0 as its default or as no limit.
    private func set(_ option: CURLoption, _ duration: Duration) {
        set(option, Int(min(max(duration.milliseconds, 1), Int64(CInt.max))))
    }

    private func setConnection(_ configuration: CurlTransport.Configuration) throws(HTTPClientError) {
        try set(CURLOPT_PROTOCOLS_STR, "http,https")
        try set(CURLOPT_PROXY, configuration.proxy ?? "")
        try set(CURLOPT_USERAGENT, configuration.userAgent)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_PATH_AS_IS, 1)
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_TCP_KEEPALIVE, 1)
        set(CURLOPT_CONNECTTIMEOUT_MS, configuration.connectTimeout)
        // Otherwise a cancelled request would block the loop until its host name is resolved.
        set(CURLOPT_QUICK_EXIT, 1)
        set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
        if configuration.sharesConnections { set(CURLOPT_PIPEWAIT, 1) }
    }

    private func setTrust(_ configuration: CurlTransport.Configuration) throws(HTTPClientError) {
        set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        try configuration.trust.apply(to: handle)
        switch configuration.clientCertificate {
        case nil: break
        case .files(let certificate, let key):
            try set(CURLOPT_SSLCERT, certificate)
            try set(CURLOPT_SSLKEY, key)
        case .pem(let chain, let key):
            guard chain.withUnsafeBytes({ set(CURLOPT_SSLCERT_BLOB, $0) }),
                key.withBytes({ set(CURLOPT_SSLKEY_BLOB, UnsafeRawBufferPointer($0)) })
            else { throw .tls("libcurl did not accept the client certificate") }
        }
    }

    /// libcurl copies the bytes.
    private func set(_ option: CURLoption, _ bytes: UnsafeRawBufferPointer) -> Bool {
        countersign_curl_set_blob(handle, option, bytes.baseAddress, bytes.count) == CURLE_OK
    }

    private func setRequest(_ request: ClientRequest) throws(HTTPClientError) {
        guard !request.url.isEmpty, request.url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw .invalidURL("a URL must not contain spaces or control characters")
        }
        try set(CURLOPT_URL, request.url)
        if let timeout = request.timeout { set(CURLOPT_TIMEOUT_MS, timeout) }
        try setMethod(request)
        try setFields(request)
    }

    private func setMethod(_ request: ClientRequest) throws(HTTPClientError) {
        let name = request.method.rawValue
        guard isToken(name) else { throw .other("the request's method is not a token (RFC 9110 clause 9.1)") }
        switch (request.method, request.body) {
        case (.head, _): set(CURLOPT_NOBODY, 1)
        case (.get, nil): set(CURLOPT_HTTPGET, 1)
        case (.post, let body), (.put, let body), (.patch, let body): try setBody(body ?? [], method: name)
        case (_, let body?): try setBody(body, method: name)
        case (_, nil): try set(CURLOPT_CUSTOMREQUEST, name)
        }
    }

    private func setBody(_ body: [UInt8], method: String) throws(HTTPClientError) {
        set(CURLOPT_POST, 1)
        _ = countersign_curl_set_offset(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
        let code = body.withUnsafeBytes { bytes in
            // libcurl needs an address even for an empty body.
            withUnsafeBytes(of: 0) { empty in
                let start = bytes.baseAddress ?? empty.baseAddress
                return countersign_curl_set_pointer(
                    handle, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: start))
            }
        }
        guard code == CURLE_OK else { throw .other("libcurl is out of memory") }
        try set(CURLOPT_CUSTOMREQUEST, method)
    }

    private func setFields(_ request: ClientRequest) throws(HTTPClientError) {
        for field in request.fields {
            guard isToken(field.name) else { throw .other("a header field's name is not a token") }
            guard field.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                throw .other("the header field \(field.name) has a control character")
            }
            // libcurl reads `Name:` as a request to omit the field, and `Name;` as an empty field.
            let isEmpty = field.value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 }
            try appendField(isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
        }
        // Prevents fields that libcurl adds by itself: `Expect: 100-continue`, and a default type for bodies.
        if request.fields["Expect"] == nil { try appendField("Expect:") }
        if request.fields["Content-Type"] == nil { try appendField("Content-Type:") }
        _ = countersign_curl_set_pointer(handle, CURLOPT_HTTPHEADER, fieldList)
    }

    private func appendField(_ line: String) throws(HTTPClientError) {
        guard let list = curl_slist_append(fieldList, line) else { throw .other("libcurl is out of memory") }
        fieldList = list
    }

    // MARK: Callbacks

    private func setCallbacks() {
        let own = Unmanaged.passUnretained(self).toOpaque()
        _ = countersign_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, errorText)
        _ = countersign_curl_set_pointer(handle, CURLOPT_HEADERDATA, own)
        _ = countersign_curl_set_callback(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, own in
            guard let bytes, let own else { return 0 }
            let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
            return Unmanaged<Transfer>.fromOpaque(own).takeUnretainedValue().receivedLine(line)
        }
        if policy != nil {
            _ = countersign_curl_set_pointer(handle, CURLOPT_OPENSOCKETDATA, own)
            _ = countersign_curl_set_socket_callback(handle, CURLOPT_OPENSOCKETFUNCTION) { own, _, address in
                guard let own, let address else { return -1 }
                return Unmanaged<Transfer>.fromOpaque(own).takeUnretainedValue().openSocket(address)
            }
        }
        _ = countersign_curl_set_pointer(handle, CURLOPT_PREREQDATA, own)
        _ = countersign_curl_set_request_callback(handle) { own, _, _, _, _ in
            guard let own, Unmanaged<Transfer>.fromOpaque(own).takeUnretainedValue().maySend() else {
                return CURL_PREREQFUNC_ABORT
            }
            return CURL_PREREQFUNC_OK
        }
        _ = countersign_curl_set_pointer(handle, CURLOPT_WRITEDATA, own)
        _ = countersign_curl_set_callback(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, own in
            guard let bytes, let own else { return 0 }
            let body = UnsafeRawBufferPointer(start: bytes, count: size * count)
            return Unmanaged<Transfer>.fromOpaque(own).takeUnretainedValue().receivedBody(body)
        }
    }

    private func openSocket(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        do throws(OutgoingSocket.Refusal) {
            return try OutgoingSocket.open(address, by: policy, isSecure: isSecure)
        } catch {
            refusal = .cannotConnect(
                "\(error.address) is not allowed: it is not public, or the request does not use TLS")
            return -1
        }
    }

    private func maySend() -> Bool {
        sends += 1
        guard sends > Self.mostSends else { return true }
        refusal = .other("the server refused the request's stream")
        return false
    }

    /// Returns the number of accepted bytes. libcurl ends the transfer if it is smaller than the number given.
    private func receivedLine(_ line: UnsafeRawBufferPointer) -> Int {
        do throws(HTTPClientError) {
            if let head = try head.read(line) {
                status = head.status
                receiver.received(head)
            }
            return line.count
        } catch {
            refusal = error
            return 0
        }
    }

    private func receivedBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        switch receiver.received(bytes) {
        case .taken: return bytes.count
        case .pause: return Int(CURL_WRITEFUNC_PAUSE)
        case .refused(let failure):
            refusal = failure
            return 0
        }
    }

    // MARK: The connection

    /// True if the request was written to an established connection.
    var wasSent: Bool { number(CURLINFO_REQUEST_SIZE) > 0 }

    /// True if libcurl opened a connection for the request.
    var hasConnected: Bool { number(CURLINFO_NUM_CONNECTS) > 0 }

    /// True if other requests can share the connection of the answer.
    var isMultiplexed: Bool { number(CURLINFO_HTTP_VERSION) >= Int(CURL_HTTP_VERSION_2_0) }

    private func number(_ info: CURLINFO) -> Int {
        var number = 0
        _ = countersign_curl_get_long(handle, info, &number)
        return number
    }

    // MARK: The end

    /// Converts the code of a finished transfer. Nil means success.
    func failure(_ code: CURLcode) -> HTTPClientError? {
        if code == CURLE_OK { return nil }
        return refusal ?? HTTPClientError(code, detail: String(cString: errorText), trustAdvice: trustAdvice)
    }
}

/// True if the text is a token (RFC 9110 clause 5.6.2), the syntax of methods and field names.
private func isToken(_ text: String) -> Bool {
    !text.isEmpty
        && text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
        }
}
