package import HTTPModel

/// A file that pages load. Its name contains a hash of its bytes, so it may be cached forever.
package struct Asset: Sendable, Equatable {
    package let name: String
    package let contentType: String
    package let bytes: [UInt8]

    package var path: String { Assets.prefix + name }

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
