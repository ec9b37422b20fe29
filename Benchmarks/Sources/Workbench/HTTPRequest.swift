import Primitives

/// The bytes of an HTTP/1.1 request.
package enum HTTPRequest {
    package static func get(_ path: String, host: String, fields: [(String, String)] = []) -> [UInt8] {
        Array("GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\(lines(fields))\r\n".utf8)
    }

    package static func post(
        _ path: String, host: String, type: String = "application/x-www-form-urlencoded",
        fields: [(String, String)] = [], body: String
    ) -> [UInt8] {
        let head =
            "POST \(path) HTTP/1.1\r\nHost: \(host)\r\nContent-Type: \(type)\r\n\(lines(fields))"
            + "Content-Length: \(body.utf8.count)\r\n\r\n"
        return Array((head + body).utf8)
    }

    package static func post(
        _ path: String, host: String, fields: [(String, String)] = [], form: [(String, String)]
    ) -> [UInt8] {
        let body = form.map { "\($0.0)=\(PercentEncoding.encode($0.1))" }.joined(separator: "&")
        return post(path, host: host, fields: fields, body: body)
    }

    private static func lines(_ fields: [(String, String)]) -> String {
        fields.map { "\($0.0): \($0.1)\r\n" }.joined()
    }
}
