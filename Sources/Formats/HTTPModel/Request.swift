/// A whole request for a handler: head and body, within the server's limits.
package struct Request: Sendable {
    package var method: HTTPMethod
    /// The path as sent, percent-encoded, without the query. Begins with `/`.
    package var path: String
    /// The raw query without its `?`. Nil if the target had none.
    package var query: String?
    package var fields: HTTPFields
    package var body: [UInt8]
    /// IP address of the peer, or of the client that a trusted proxy names, without a port.
    package var remoteAddress: String
    /// True if the connection is TLS.
    package var isSecure: Bool
    /// Certificate from the peer's TLS handshake, or from a trusted proxy's field. The peer proved that it holds the
    /// key. The issuer was not checked.
    package var clientCertificate: ClientCertificate?
    /// Names this request in logs and in the response's `X-Request-Id`.
    package var id: String
    /// The client at the other end. Nil means that it never leaves.
    package var client: (any ClientPresence)?

    package init(
        method: HTTPMethod, path: String, query: String? = nil, fields: HTTPFields = [:], body: [UInt8] = [],
        remoteAddress: String = "127.0.0.1", isSecure: Bool = true, clientCertificate: ClientCertificate? = nil,
        id: String = "", client: (any ClientPresence)? = nil
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.fields = fields
        self.body = body
        self.remoteAddress = remoteAddress
        self.isSecure = isSecure
        self.clientCertificate = clientCertificate
        self.id = id
        self.client = client
    }
}
