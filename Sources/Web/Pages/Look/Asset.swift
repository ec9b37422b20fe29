public import HTTPModel

/// A file that pages load. Its path holds a hash of its bytes, so it may be cached for ever.
public struct Asset: Sendable, Equatable {
    /// The path it is served at.
    public let path: String
    public let contentType: String
    public let bytes: [UInt8]

    public var response: Response {
        Response(
            status: 200,
            fields: [
                "Content-Type": contentType,
                "Cache-Control": "public, max-age=31536000, immutable",
                "Cross-Origin-Resource-Policy": "same-origin",
            ],
            body: .bytes(bytes))
    }
}
