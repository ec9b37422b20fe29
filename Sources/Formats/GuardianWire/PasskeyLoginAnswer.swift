import Primitives

/// The answer of `navigator.credentials.get` at a login page (WebAuthn Level 3, 5.2.2), as JSON of the page's script.
package struct PasskeyLoginAnswer: Sendable, Equatable {
    /// Bytes of a user handle (WebAuthn Level 3, 5.4.3).
    package static let handleRange = 1...64

    package var assertion: PasskeyAssertion
    /// Names the person. Only passkeys that the authenticator found by itself have one.
    package var userHandle: [UInt8]

    package init(assertion: PasskeyAssertion, userHandle: [UInt8]) {
        self.assertion = assertion
        self.userHandle = userHandle
    }

    package init(parsing body: [UInt8]) throws(GuardianWireFailure) {
        let members = try Members(parsing: body)
        assertion = try PasskeyAssertion(members)
        userHandle = try members.base64URL("user_handle", Self.handleRange)
    }

    package var json: [UInt8] {
        JSONWriter.object(capacity: 1024) { writer in
            assertion.write(to: &writer)
            writer.member("user_handle", Base64URL.encode(userHandle))
        }
    }
}
