import Primitives

/// The answer of `navigator.credentials.create` (WebAuthn Level 2, 5.2.1): body of `PUT …/passkey`.
package struct PasskeyRegistration: Sendable, Equatable {
    package var clientDataJSON: [UInt8]
    package var attestationObject: [UInt8]

    package init(clientDataJSON: [UInt8], attestationObject: [UInt8]) {
        self.clientDataJSON = clientDataJSON
        self.attestationObject = attestationObject
    }

    package init(parsing body: [UInt8]) throws(GuardianWireFailure) {
        let members = try Members(parsing: body)
        clientDataJSON = try members.base64URL("client_data_json", 1...PasskeyAssertion.memberLimit)
        attestationObject = try members.base64URL("attestation_object", 1...PasskeyAssertion.memberLimit)
    }

    package var json: [UInt8] {
        JSONWriter.object(capacity: 1024) { writer in
            writer.member("client_data_json", Base64URL.encode(clientDataJSON))
            writer.member("attestation_object", Base64URL.encode(attestationObject))
        }
    }
}

/// Arguments for `navigator.credentials.create` and `get`: answer of `GET …/passkey`.
package struct PasskeyOptions: Sendable, Equatable {
    /// For a registration, in base64url.
    package var challenge: String
    package var relyingParty: String
    /// In base64url. The same in all passkeys of the person, and in no other's.
    package var userID: String
    package var userName: String
    /// The person's passkeys for that relying party. Each confirms requests.
    package var credentialIDs: [[UInt8]]
    /// True if this phone, or page, may register one now.
    package var mayRegister: Bool

    package init(
        challenge: String, relyingParty: String, userID: String, userName: String, credentialIDs: [[UInt8]],
        mayRegister: Bool
    ) {
        self.challenge = challenge
        self.relyingParty = relyingParty
        self.userID = userID
        self.userName = userName
        self.credentialIDs = credentialIDs
        self.mayRegister = mayRegister
    }

    package init(parsing body: [UInt8]) throws(GuardianWireFailure) {
        let members = try Members(parsing: body)
        challenge = try members.string("challenge")
        relyingParty = try members.string("rp_id")
        userID = try members.string("user_id")
        userName = try members.string("user_name")
        credentialIDs = []
        for text in try members.strings("credential_ids") {
            guard let id = Base64URL.decode(text), PasskeyAssertion.credentialIDRange.contains(id.count) else {
                throw .invalid(members.name("credential_ids"), expected: "ids in base64url without padding")
            }
            credentialIDs.append(id)
        }
        mayRegister = try members.flag("may_register")
    }

    package var json: [UInt8] {
        JSONWriter.object { writer in
            writer.member("challenge", challenge)
            writer.member("rp_id", relyingParty)
            writer.member("user_id", userID)
            writer.member("user_name", userName)
            writer.member("credential_ids", credentialIDs.map { Base64URL.encode($0) })
            writer.member("may_register", mayRegister)
        }
    }
}
