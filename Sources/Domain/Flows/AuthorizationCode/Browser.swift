/// What a browser's request says beside its parameters.
public struct Browser: Sendable {
    /// The cookie of its session; nil where it sent none.
    public let sessionCookie: String?
    /// The cookie that binds login transactions to the browser they began in; nil where it sent none.
    public let bindingCookie: String?
    /// The cookie that proves whom the transaction of this request was gone on with. Nil if the browser sent none.
    public let proofCookie: String?
    /// The peer's address.
    public let remoteAddress: String

    public init(
        sessionCookie: String?, bindingCookie: String?, proofCookie: String? = nil, remoteAddress: String
    ) {
        self.sessionCookie = sessionCookie
        self.bindingCookie = bindingCookie
        self.proofCookie = proofCookie
        self.remoteAddress = remoteAddress
    }
}
