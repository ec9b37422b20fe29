import HTTPModel

/// Assembles a response's head from libcurl's lines. Interim responses (1xx, RFC 9110 clause 15.2) and trailers are
/// skipped.
struct HeadReader {
    /// Maximum size of a head in bytes.
    static let limit = 64 << 10

    private var status = 0
    private var fields: [(name: String, value: String)] = []
    private var size = 0
    private var isComplete = false

    /// Reads one line with its line break. Returns the head at its last line.
    mutating func read(_ line: UnsafeRawBufferPointer) throws(HTTPClientError) -> ResponseHead? {
        guard !isComplete else { return nil }
        size += line.count
        guard size <= Self.limit else { throw .tooLarge(limit: Self.limit) }
        let line = line.prefix { $0 != 0x0D && $0 != 0x0A }
        if line.isEmpty { return finish() }
        if line.starts(with: "HTTP/".utf8) {
            try startHead(line)
        } else if line[line.startIndex] == 0x20 || line[line.startIndex] == 0x09 {
            // A folded line continues the value before it (RFC 9112 clause 5.2).
            guard let last = fields.indices.last else { throw .other("the server's response is not HTTP") }
            fields[last].value += " " + Self.text(line)
        } else {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
                throw .other("the server sent a header field without a colon")
            }
            fields.append((Self.text(line[..<colon]), Self.text(line[(colon + 1)...])))
        }
        return nil
    }

    private mutating func startHead(_ line: Slice<UnsafeRawBufferPointer>) throws(HTTPClientError) {
        let parts = line.split(separator: 0x20, maxSplits: 2)
        guard parts.count >= 2, let status = Int(Self.text(parts[1])), (100...999).contains(status) else {
            throw .other("the server's status line is not HTTP")
        }
        self.status = status
        fields = []
    }

    private mutating func finish() -> ResponseHead? {
        guard status >= 200 || status == 101 else { return nil }
        isComplete = true
        var fields = HTTPFields()
        for field in self.fields { fields.append(field.name, field.value) }
        return ResponseHead(status: status, fields: fields)
    }

    /// Decodes UTF-8, or ISO 8859-1 as older HTTP did, and removes surrounding blanks.
    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        var bytes = bytes.drop(while: isBlank)
        while let last = bytes.last, isBlank(last) { bytes = bytes.dropLast() }
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
