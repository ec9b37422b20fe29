import Glibc
import HTTPModel

/// An answer that bypasses the library and ends its connection.
enum LastAnswer {
    /// Answer to plain HTTP on a TLS port.
    static let speakTLS = Response(
        status: 400, fields: ["Content-Type": "text/plain"],
        body: .bytes(Array("This port speaks TLS. Use https:// in place of http://.\n".utf8)))

    static func bytes(of response: Response, id: String?) -> [UInt8] {
        var body: [UInt8] = []
        if case .bytes(let bytes) = response.body { body = bytes }
        var head = "HTTP/1.1 \(response.status) \(Response.reasonPhrase(of: response.status))\r\n"
        if let id { head += "Date: \(date)\r\nX-Request-Id: \(id)\r\n" }
        head += "X-Content-Type-Options: nosniff\r\nConnection: close\r\nContent-Length: \(body.count)\r\n"
        for field in response.fields { head += "\(field.name): \(field.value)\r\n" }
        return Array((head + "\r\n").utf8) + body
    }

    /// Current date (RFC 9110 clause 5.6.7).
    private static var date: String {
        var now = time(nil)
        var parts = tm()
        gmtime_r(&now, &parts)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 40) { text in
            guard let start = text.baseAddress else { return "" }
            // The process keeps the C locale, in which these names are English.
            strftime(start, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
            return String(cString: start)
        }
    }
}
