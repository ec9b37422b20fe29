/// What a browser's request says beside its parameters.
package struct Browser: Sendable {
    /// The cookie of its session; nil where it sent none.
    package let sessionCookie: String?
    /// The cookie that binds login transactions to the browser they began in; nil where it sent none.
    package let bindingCookie: String?
    /// The cookie that proves whom the transaction of this request was gone on with. Nil if the browser sent none.
    package let proofCookie: String?
    /// The peer's address.
    package let remoteAddress: String

    package init(
        sessionCookie: String?, bindingCookie: String?, proofCookie: String? = nil, remoteAddress: String
    ) {
        self.sessionCookie = sessionCookie
        self.bindingCookie = bindingCookie
        self.proofCookie = proofCookie
        self.remoteAddress = remoteAddress
    }
}
