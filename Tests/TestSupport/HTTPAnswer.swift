package import HTTPModel
package import Primitives

/// A way to send requests to a server, with or without sockets.
package protocol RequestSender: Sendable {
    func send(_ request: Request) async throws -> HTTPAnswer
}

/// An answer with its whole body.
package struct HTTPAnswer: Sendable {
    package let status: Int
    package let fields: HTTPFields
    package let body: [UInt8]
    /// Nil unless the body is a stream.
    package let stream: AsyncStream<[UInt8]>?

    package init(_ response: Response) async {
        status = response.status
        fields = response.fields
        switch response.body {
        case .bytes(let bytes):
            body = bytes
            stream = nil
        case .stream(let chunks):
            body = []
            stream = chunks
        case .parts(let next):
            var bytes: [UInt8] = []
            while let part = try? await next() { bytes += part }
            body = bytes
            stream = nil
        }
    }

    init(_ response: ClientResponse) {
        status = response.status
        fields = response.fields
        body = response.body
        stream = nil
    }

    package var text: String { String(decoding: body, as: UTF8.self) }

    /// Null if the body is not JSON.
    package var json: JSONValue { (try? JSONReader.parse(body)) ?? .null }

    package subscript(member: String) -> JSONValue? { json[member] }

    /// `error` of an OAuth answer, `errorCode` of a device answer.
    package var code: String? { (self["errorCode"] ?? self["error"])?.stringValue }

    /// RFC 6749 clause 5.2: `error_description` is printable ASCII without quotation marks and backslashes. True where
    /// there is none.
    package var hasPlainDescription: Bool {
        (self["error_description"]?.stringValue ?? "").utf8.allSatisfy {
            (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }
    }

    /// The text that says what to change.
    package var message: String { (self["error_description"] ?? self["message"])?.stringValue ?? "" }
}

extension Request {
    /// A form as OAuth clients send it.
    package static func form(
        _ path: String, _ parameters: [String: String?], host: String = InProcessServer.host, fields: HTTPFields = [:]
    ) -> Request {
        var form = FormFields()
        for (name, value) in parameters.sorted(by: { $0.key < $1.key }) {
            if let value { form.append(name, value) }
        }
        return Request(
            method: .post, path: path,
            fields: fields.with(host: host, contentType: "application/x-www-form-urlencoded"),
            body: Array(form.encoded.utf8))
    }

    package static func json(
        _ method: HTTPMethod, _ path: String, _ body: JSONValue, host: String = InProcessServer.host,
        fields: HTTPFields = [:]
    ) -> Request {
        Request(
            method: method, path: path, fields: fields.with(host: host, contentType: "application/json"),
            body: JSONWriter.bytes(body))
    }

    package static func get(_ path: String, host: String = InProcessServer.host, fields: HTTPFields = [:]) -> Request {
        Request(method: .get, path: path, fields: fields.with(host: host, contentType: nil))
    }

    /// The same request with one field set. Nil removes the field.
    package func with(_ name: String, _ value: String?) -> Request {
        var copy = self
        copy.fields.remove(name)
        if let value { copy.fields.append(name, value) }
        return copy
    }
}

extension HTTPFields {
    fileprivate func with(host: String, contentType: String?) -> HTTPFields {
        var copy = self
        if copy["Host"] == nil { copy.append("Host", host) }
        if let contentType, copy["Content-Type"] == nil { copy.append("Content-Type", contentType) }
        return copy
    }
}
