/// A form that a script sends with what an authenticator made (WebAuthn Level 3). Without scripts, or in a browser without
/// passkeys, it stays hidden.
package struct PasskeyRequest: Sendable, Equatable {
    package enum Ceremony: Sendable, Equatable {
        /// `navigator.credentials.get`. `waits` is true if the page offers passkeys in its field for the name, too, as a
        /// page does that nobody tried one on.
        case logIn(waits: Bool)
        /// `navigator.credentials.create` for this person. Both are bytes in base64url.
        case add(userHandle: String, name: String, known: [String])
    }

    package let ceremony: Ceremony
    /// Gets ``FieldName/passkey``.
    package let form: PageForm
    /// In base64url.
    package let challenge: String
    /// RP ID.
    package let host: String
    /// ``Assets/passkeyScript``.
    package let script: Asset

    package init(_ ceremony: Ceremony, form: PageForm, challenge: String, host: String, assets: Assets) {
        self.ceremony = ceremony
        self.form = form
        self.challenge = challenge
        self.host = host
        script = assets.passkeyScript
    }
}
