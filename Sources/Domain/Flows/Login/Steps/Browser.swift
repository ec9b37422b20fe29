/// Cookies of a browser's request.
package struct Browser: Sendable {
    /// Proves the session. Nil if the browser sent none.
    package let sessionCookie: String?
    /// Binds login transactions to the browser that they began in. Nil if the browser sent none.
    package let bindingCookie: String?
    /// Proves the user of the transaction that the request belongs to. Nil if the browser sent none.
    package let proofCookie: String?

    package init(sessionCookie: String?, bindingCookie: String?, proofCookie: String? = nil) {
        self.sessionCookie = sessionCookie
        self.bindingCookie = bindingCookie
        self.proofCookie = proofCookie
    }
}
