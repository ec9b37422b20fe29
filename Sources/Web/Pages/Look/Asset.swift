package import HTTPModel

/// A file that pages load. Its path holds a hash of its bytes, so it may be cached for ever.
package struct Asset: Sendable, Equatable {
    /// The path it is served at.
    package let path: String
    package let contentType: String
    package let bytes: [UInt8]

    package var response: Response {
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
