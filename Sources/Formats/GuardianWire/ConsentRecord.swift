package import Primitives

/// Contents that a device shows before it answers: the body of `GET rich-consents/{id}`.
package struct ConsentRecord: Sendable, Equatable {
    package struct RequestedDetails: Sendable, Equatable {
        package var audience: String
        package var scope: [String]?
        package var bindingMessage: String?
        /// RFC 9396.
        package var authorizationDetails: [JSONObject]?
        /// A stable id of that array.
        package var authorizationDetailsID: String?
        /// Description of each scope for the user. Additional to Auth0's members.
        package var scopeDescriptions: [String: String]

        package init(
            audience: String, scope: [String]?, bindingMessage: String?, authorizationDetails: [JSONObject]? = nil,
            authorizationDetailsID: String? = nil, scopeDescriptions: [String: String] = [:]
        ) {
            self.audience = audience
            self.scope = scope
            self.bindingMessage = bindingMessage
            self.authorizationDetails = authorizationDetails
            self.authorizationDetailsID = authorizationDetailsID
            self.scopeDescriptions = scopeDescriptions
        }
    }

    /// The requesting client. Additional to Auth0's members.
    package struct Client: Sendable, Hashable {
        package var clientID: String
        package var name: String

        package init(clientID: String, name: String) {
            self.clientID = clientID
            self.name = name
        }
    }

    package var id: String
    package var requestedDetails: RequestedDetails
    package var client: Client?
    /// The request's record, whose text is signed. Additional to Auth0's members, which repeat parts of it.
    package var record: String?
    package var createdAt: Timestamp
    package var expiresAt: Timestamp

    package init(
        id: String, requestedDetails: RequestedDetails, client: Client? = nil, record: String? = nil,
        createdAt: Timestamp, expiresAt: Timestamp
    ) {
        self.id = id
        self.requestedDetails = requestedDetails
        self.client = client
        self.record = record
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}

extension ConsentRecord {
    /// Reads dates as seconds (also within a string) and as ISO 8601 strings.
    package init(parsing body: [UInt8]) throws(GuardianWireFailure) {
        let members = try Members(parsing: body)
        id = try members.string("id")
        requestedDetails = try RequestedDetails(try members.members("requested_details"))
        if let client = try members.optionalMembers("client") {
            let id = try client.string("client_id")
            self.client = Client(clientID: id, name: try client.optionalString("name") ?? id)
        }
        record = try members.optionalString("record")
        createdAt = try members.date("created_at")
        expiresAt = try members.date("expires_at")
    }

    /// Dates are ISO 8601 strings with milliseconds. Auth0 documents numbers, but the decoders of its SDKs need
    /// strings.
    package var json: [UInt8] {
        JSONWriter.object(capacity: 512) { writer in
            writer.member("id", id)
            writer.member("requested_details", object: requestedDetails.write)
            if let client {
                writer.member("client") { writer in
                    writer.member("client_id", client.clientID)
                    writer.member("name", client.name)
                }
            }
            writer.member("record", ifPresent: record)
            writer.member("created_at", createdAt.iso8601)
            writer.member("expires_at", expiresAt.iso8601)
        }
    }
}

extension ConsentRecord.RequestedDetails {
    init(_ members: Members) throws(GuardianWireFailure) {
        audience = try members.string("audience")
        if let value = members.value("scope") {
            guard let scope = value.stringsValue else {
                throw .invalid(members.name("scope"), expected: "an array of strings")
            }
            self.scope = scope
        }
        bindingMessage = try members.optionalString("binding_message")
        if let value = members.value("authorization_details") {
            guard let elements = value.arrayValue, case let objects = elements.compactMap(\.objectValue),
                objects.count == elements.count
            else { throw .invalid(members.name("authorization_details"), expected: "an array of objects") }
            authorizationDetails = objects
        }
        authorizationDetailsID = try members.optionalString("authorization_details_id")
        scopeDescriptions = [:]
        for (scope, text) in members.value("scope_descriptions")?.objectValue ?? [:] {
            scopeDescriptions[scope] = text.stringValue
        }
    }

    func write(to writer: inout JSONWriter) {
        writer.member("audience", audience)
        if let scope { writer.member("scope", scope) }
        writer.member("binding_message", ifPresent: bindingMessage)
        if let authorizationDetails {
            writer.member("authorization_details", .array(authorizationDetails.map(JSONValue.object)))
        }
        writer.member("authorization_details_id", ifPresent: authorizationDetailsID)
        guard !scopeDescriptions.isEmpty else { return }
        writer.member("scope_descriptions") { writer in
            for (scope, text) in scopeDescriptions.sorted(by: <) { writer.member(scope, text) }
        }
    }
}

extension Members {
    func date(_ member: String) throws(GuardianWireFailure) -> Timestamp {
        let value = try required(member)
        let number = value.doubleValue ?? value.stringValue.flatMap { Double($0) }
        if let number, number.magnitude < 1e12 { return Timestamp(milliseconds: Int64(number * 1000)) }
        if let date = value.stringValue.flatMap({ Timestamp(iso8601: $0) }) { return date }
        throw .invalid(name(member), expected: "seconds since 1970 or a date-time of RFC 3339")
    }
}
