public import Primitives

/// Claims of a JWT (RFC 7519 clause 4) whose signature was verified.
public struct Claims: Sendable {
    public let members: JSONObject

    public init(_ members: JSONObject) { self.members = members }

    /// Nil if the payload is no JSON object.
    public init?(payload: [UInt8]) {
        guard let members = (try? JSONReader.parse(payload))?.objectValue else { return nil }
        self.members = members
    }

    public subscript(name: String) -> JSONValue? { members[name] }

    public var issuer: String? { members["iss"]?.stringValue }
    public var subject: String? { members["sub"]?.stringValue }
    public var identifier: String? { members["jti"]?.stringValue }

    /// `aud` as a list, from a string or an array.
    public var audience: [String] {
        if let one = members["aud"]?.stringValue { return [one] }
        return members["aud"]?.stringsValue ?? []
    }

    public var issuedAt: Timestamp? { date("iat") }
    public var expires: Timestamp? { date("exp") }
    public var notBefore: Timestamp? { date("nbf") }

    /// A NumericDate, which may have a fraction (RFC 7519 clause 2). Nil if absent or beyond any calendar.
    public func date(_ name: String) -> Timestamp? {
        guard let seconds = members[name]?.doubleValue, seconds.isFinite, seconds.magnitude < 1e12 else { return nil }
        return Timestamp(milliseconds: Int64(seconds * 1000))
    }
}
