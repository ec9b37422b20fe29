package import GuardianWire
package import Primitives

/// Everything that a person is asked, as one JSON text.
///
/// The server writes the text once, when the request is made. It is then only copied: phones parse, show and hash the
/// text that the server stored, and receipts contain it. So no two spellings of a request share a digest.
package struct RequestRecord: Sendable, Equatable {
    package struct Scope: Sendable, Equatable {
        package let value: String
        /// Text that the person is shown. Nil means that the API describes no such scope.
        package let description: String?

        package init(value: String, description: String?) {
            self.value = value
            self.description = description
        }
    }

    /// A client or an API: its identifier, and the name that the person is shown.
    package struct Party: Sendable, Equatable {
        package let id: String
        package let name: String

        package init(id: String, name: String) {
            self.id = id
            self.name = name
        }
    }

    /// Members that only later phones know. Others still show the whole request.
    package struct Display: Sendable, Equatable {
        /// `https` URL of the client's logo.
        package var clientLogo: String?
        /// True if the client belongs to the tenant itself. Nil in records of earlier versions.
        package var isFirstParty: Bool?
        /// Three numbers, one of which the client displays. Empty if no number has to be picked.
        package var matchingChoices: [MatchingNumber] = []
        /// True if the person types the number that the asking screen displays. There are no choices then.
        package var isNumberTyped = false
        /// The person's language, for phones to which the server names the number in words. Nil if it is not known, and
        /// for a request without a number.
        package var language: String?
        /// The login that asks. Nil for a request of a client.
        package var login: Login?
        /// Labels, order and formats for each element of the details. Empty if the API's schemas declare none.
        package var presentation: [JSONObject] = []
        /// True if phones make a sound for the request even in quiet hours.
        package var isUrgent = false

        package init() {}

        /// True if only the right number allows the request.
        package var asksNumber: Bool { isNumberTyped || !matchingChoices.isEmpty }
    }

    package let id: String
    package let issuer: String
    package let tenant: String
    package let client: Party
    package let user: String
    package let audience: Party
    package let scope: [Scope]
    package let bindingMessage: String
    /// RFC 9396. Empty without details.
    package let authorizationDetails: [JSONObject]
    /// Members by which phones show the request.
    package let display: Display
    package let createdAt: Timestamp
    package let expiresAt: Timestamp
    /// The text. Its UTF-8 is hashed.
    package let text: String

    package init(
        id: String, issuer: String, tenant: String, client: Party, user: String, audience: Party, scope: [Scope],
        bindingMessage: String, authorizationDetails: [JSONObject], display: Display = Display(), createdAt: Timestamp,
        expiresAt: Timestamp, salt: String
    ) {
        self.id = id
        self.issuer = issuer
        self.tenant = tenant
        self.client = client
        self.user = user
        self.audience = audience
        self.scope = scope
        self.bindingMessage = bindingMessage
        self.authorizationDetails = authorizationDetails
        self.display = display
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        let bytes = JSONWriter.object(capacity: 1024) { writer in
            writer.member("id", id)
            writer.member("iss", issuer)
            writer.member("tenant", tenant)
            writer.member("client_id", client.id)
            writer.member("client_name", client.name)
            writer.member("sub", user)
            writer.member("audience", audience.id)
            writer.member("audience_name", audience.name)
            writer.name("scope")
            writer.array { writer in
                for scope in scope {
                    writer.object { writer in
                        writer.member("value", scope.value)
                        writer.member("description", ifPresent: scope.description)
                    }
                }
            }
            writer.member("binding_message", bindingMessage)
            if !authorizationDetails.isEmpty {
                writer.member("authorization_details", .array(authorizationDetails.map(JSONValue.object)))
            }
            display.write(to: &writer)
            writer.member("created_at", createdAt.iso8601)
            writer.member("expires_at", expiresAt.iso8601)
            // Without it, a digest in the audit log would tell a guessed request from others.
            writer.member("salt", salt)
        }
        text = String(decoding: bytes, as: UTF8.self)
    }

    /// Reads a record as it was written. Throws for a record that lacks a member: nothing may be shown of it.
    package init(parsing text: String) throws(ApprovalFailure) {
        let record = try ApprovalMembers(parsing: Array(text.utf8), path: "record")
        id = try record.string("id")
        issuer = try record.string("iss")
        tenant = try record.string("tenant")
        client = Party(id: try record.string("client_id"), name: try record.string("client_name"))
        user = try record.string("sub")
        audience = Party(id: try record.string("audience"), name: try record.string("audience_name"))
        var scope: [Scope] = []
        for element in try record.array("scope") {
            scope.append(
                Scope(value: try element.string("value"), description: try element.optionalString("description")))
        }
        self.scope = scope
        bindingMessage = try record.string("binding_message")
        authorizationDetails = try record.optionalArray("authorization_details").map(\.object)
        display = try Display(record, details: authorizationDetails.count)
        createdAt = try record.date("created_at")
        expiresAt = try record.date("expires_at")
        self.text = text
    }

    /// Equal texts are equal records.
    package static func == (left: RequestRecord, right: RequestRecord) -> Bool {
        left.text.hasSameBytes(as: right.text)
    }

    package func digest(_ hashing: some Hashing) -> RequestDigest { RequestDigest(hashing.sha256(utf8: text)) }
}

/// SHA-256 of a record's UTF-8. Written in base64url.
package struct RequestDigest: Sendable, Hashable, LosslessStringConvertible {
    private let value: Digest256

    package init(_ value: Digest256) { self.value = value }

    /// Nil unless `description` is 32 bytes in base64url.
    package init?(_ description: String) {
        guard let bytes = Base64URL.decode(description), bytes.count == Digest256.size else { return nil }
        self.init(Digest256(bytes))
    }

    package var bytes: [UInt8] { value.bytes }
    package var description: String { Base64URL.encode(value.bytes) }
}
