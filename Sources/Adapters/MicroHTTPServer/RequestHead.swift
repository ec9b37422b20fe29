import CMicroHTTPD
import Glibc
import HTTPModel

/// Reads a request's head more strictly than libmicrohttpd 0.9.75. If a server and its proxy read a message
/// differently, one client's bytes can become another's request (RFC 9112 clause 11.2). So ambiguous heads are refused
/// and the connection is closed.
///
/// The library hands out pointers into the head as received, with a NUL over each separator. So each field must begin
/// right after the line ending of the one before: a NUL inside a line, a bare line feed, and a folded line
/// (RFC 9112 clauses 2.2 and 5.2) all break that chain.
struct RequestHead {
    private(set) var fields: [HTTPFields.Field] = []
    private(set) var contentLength: Int?
    private var isChunked = false
    /// The client waits for permission to send its body (RFC 9110 clause 10.1.1).
    private(set) var expectsContinue = false
    private(set) var isVersion10 = false
    private(set) var refusal: HTTPRefusal?
    /// The method is a token and the target is within its limit.
    private(set) var hasRequestLine = false
    private var hosts = 0
    private var expected: UnsafePointer<CChar>
    private var keepsChain = true

    /// Reads the head of the request that `connection` has just received.
    /// - Parameters:
    ///   - targetLength: the bytes of the target before the library split it.
    init(
        of connection: OpaquePointer, method: UnsafePointer<CChar>, target: UnsafePointer<CChar>, targetLength: Int,
        version: UnsafePointer<CChar>, limits: HTTPLimits
    ) {
        let methodLength = strlen(method)
        expected = version + 10
        guard method + methodLength + 1 == target, target + targetLength + 1 == version else {
            refusal = .malformed("The request line must be a method, a target and a version with one space between.")
            return
        }
        guard Self.isToken(method, methodLength) else {
            refusal = .malformed("The request method must be a token (RFC 9110 clause 5.6.2).")
            return
        }
        guard targetLength <= limits.targetBytes else {
            refusal = .targetTooLong(limit: limits.targetBytes)
            return
        }
        hasRequestLine = true
        let size = countersign_mhd_head_size(connection)
        guard size <= limits.headBytes else {
            refusal = .headTooLarge(limit: limits.headBytes)
            return
        }
        fields.reserveCapacity(12)
        withUnsafeMutablePointer(to: &self) { head in
            _ = MHD_get_connection_values_n(
                connection, .HEADER_KIND,
                { context, _, name, nameLength, value, valueLength in
                    guard let head = context?.assumingMemoryBound(to: RequestHead.self), let name, let value else {
                        return .NO
                    }
                    head.pointee.take(name, nameLength, value, valueLength)
                    return head.pointee.refusal == nil ? .YES : .NO
                }, head)
        }
        guard refusal == nil else { return }
        // The blank line follows the last field.
        guard keepsChain, expected + 2 == method + size else {
            refusal = Self.brokenLines
            return
        }
        isVersion10 = version[7] == CChar(bitPattern: UInt8(ascii: "0"))
        checkFraming()
    }

    private static let brokenLines = HTTPRefusal.malformed(
        "Header lines must end with CRLF, must not be folded, and must not hold NUL bytes.")

    private mutating func take(
        _ name: UnsafePointer<CChar>, _ nameLength: Int, _ value: UnsafePointer<CChar>, _ valueLength: Int
    ) {
        if name != expected || name + nameLength >= value { keepsChain = false }
        expected = value + valueLength + 2
        guard Self.isToken(name, nameLength) else {
            refusal = .malformed("A header's name must be a token with no blank before its colon.")
            return
        }
        guard let value = Self.fieldValue(value, valueLength) else {
            refusal = .malformed("A header's value must not hold control characters.")
            return
        }
        note(name, nameLength, value)
        fields.append(HTTPFields.Field(name: Self.string(name, nameLength), value: value))
    }

    /// Notes the fields that frame or route the message.
    private mutating func note(_ name: UnsafePointer<CChar>, _ nameLength: Int, _ value: String) {
        switch nameLength {
        case 4 where strncasecmp(name, "host", 4) == 0: hosts += 1
        case 6 where strncasecmp(name, "expect", 6) == 0:
            expectsContinue = Self.same(value, "100-continue")
            if !expectsContinue { refusal = .expectationFailed }
        case 14 where strncasecmp(name, "content-length", 14) == 0:
            guard contentLength == nil, let length = Self.length(value) else {
                refusal = .malformed("Send one Content-Length, a decimal number.")
                return
            }
            contentLength = length
        case 17 where strncasecmp(name, "transfer-encoding", 17) == 0:
            guard !isChunked, Self.same(value, "chunked") else {
                refusal = .malformed("The only Transfer-Encoding this server reads is chunked, sent once.")
                return
            }
            isChunked = true
        default:
            break
        }
    }

    private mutating func checkFraming() {
        if isChunked, contentLength != nil {
            refusal = .malformed("Send Content-Length or Transfer-Encoding, not both (RFC 9112 clause 6.2).")
        } else if isChunked, isVersion10 {
            refusal = .malformed("HTTP/1.0 has no Transfer-Encoding; send Content-Length.")
        } else if hosts > 1 || (hosts == 0 && !isVersion10) {
            refusal = .malformed("Send exactly one Host header (RFC 9112 clause 3.2).")
        } else if isChunked {
            // The library accepts bare line feeds in the framing of chunks (RFC 9112 clause 7.1 requires CRLF) and
            // hides the framing, so it cannot be trusted with the body's end.
            refusal = .lengthRequired
        }
    }

    /// Replaces the Host field by the target's authority (RFC 9112 clause 3.2.2).
    mutating func setHost(_ authority: String) {
        fields.removeAll { Self.same($0.name, "host") }
        fields.append(HTTPFields.Field(name: "Host", value: authority))
    }

    // MARK: Characters

    /// RFC 9110 clause 5.6.2.
    private static func isToken(_ bytes: UnsafePointer<CChar>, _ count: Int) -> Bool {
        guard count > 0 else { return false }
        for index in 0..<count where !isTokenByte(UInt8(bitPattern: bytes[index])) { return false }
        return true
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        // One bit per character: 0-9 A-Z a-z and !#$%&'*+-.^_`|~
        let low: UInt64 = 0x03FF_6CFA_0000_0000
        let high: UInt64 = 0x57FF_FFFF_C7FF_FFFE
        return byte < 0x40 ? low &>> UInt64(byte) & 1 == 1 : byte < 0x80 && high &>> UInt64(byte & 0x3F) & 1 == 1
    }

    /// The value without surrounding blanks (RFC 9110 clause 5.5). Nil means that it holds a control character. Bytes
    /// that are not UTF-8 become U+FFFD.
    private static func fieldValue(_ bytes: UnsafePointer<CChar>, _ count: Int) -> String? {
        var start = 0
        var end = count
        while start < end, isBlank(bytes[start]) { start += 1 }
        while end > start, isBlank(bytes[end - 1]) { end -= 1 }
        for index in start..<end {
            let byte = UInt8(bitPattern: bytes[index])
            if byte < 0x20 ? byte != 0x09 : byte == 0x7F { return nil }
        }
        return string(bytes + start, end - start)
    }

    private static func isBlank(_ character: CChar) -> Bool { character == 0x20 || character == 0x09 }

    static func string(_ bytes: UnsafePointer<CChar>, _ count: Int) -> String {
        bytes.withMemoryRebound(to: UInt8.self, capacity: count) { bytes in
            String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
        }
    }

    /// Reads a decimal number without sign or list (RFC 9110 clause 8.6); 18 digits exceed any limit.
    private static func length(_ value: String) -> Int? {
        guard (1...18).contains(value.utf8.count), value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(value)
    }

    /// Compares with a lowercase literal, ignoring ASCII case.
    private static func same(_ value: String, _ literal: StaticString) -> Bool {
        guard value.utf8.count == literal.utf8CodeUnitCount else { return false }
        var other = literal.utf8Start
        for byte in value.utf8 {
            if ((0x41...0x5A).contains(byte) ? byte | 0x20 : byte) != other.pointee { return false }
            other += 1
        }
        return true
    }
}
