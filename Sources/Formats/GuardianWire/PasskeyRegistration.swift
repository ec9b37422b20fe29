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
    /// In base64url. Another for each device, so that no authenticator replaces another device's passkey.
    package var userID: String
    package var userName: String
    /// The registered passkey. Nil if the device has none.
    package var credentialID: [UInt8]?

    package init(
        challenge: String, relyingParty: String, userID: String, userName: String, credentialID: [UInt8]?
    ) {
        self.challenge = challenge
        self.relyingParty = relyingParty
        self.userID = userID
        self.userName = userName
        self.credentialID = credentialID
    }

    package init(parsing body: [UInt8]) throws(GuardianWireFailure) {
        let members = try Members(parsing: body)
        challenge = try members.string("challenge")
        relyingParty = try members.string("rp_id")
        userID = try members.string("user_id")
        userName = try members.string("user_name")
        if members.value("credential_id") != nil {
            credentialID = try members.base64URL("credential_id", PasskeyAssertion.credentialIDRange)
        }
    }

    package var json: [UInt8] {
        JSONWriter.object { writer in
            writer.member("challenge", challenge)
            writer.member("rp_id", relyingParty)
            writer.member("user_id", userID)
            writer.member("user_name", userName)
            writer.member("is_registered", credentialID != nil)
            writer.member("credential_id", ifPresent: credentialID.map { Base64URL.encode($0) })
        }
    }
}
