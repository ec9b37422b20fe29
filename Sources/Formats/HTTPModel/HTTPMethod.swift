/// An HTTP request method (RFC 9110 clause 9). Any token is representable. The router refuses unknown ones.
public struct HTTPMethod: Hashable, Sendable, CustomStringConvertible {
    /// The method on the request line, case-sensitive (RFC 9110 clause 9.1).
    public let rawValue: String

    public init(_ rawValue: String) { self.rawValue = rawValue }

    public static let get = HTTPMethod("GET")
    public static let head = HTTPMethod("HEAD")
    public static let post = HTTPMethod("POST")
    public static let put = HTTPMethod("PUT")
    public static let patch = HTTPMethod("PATCH")
    public static let delete = HTTPMethod("DELETE")
    public static let options = HTTPMethod("OPTIONS")

    public var description: String { rawValue }
}
