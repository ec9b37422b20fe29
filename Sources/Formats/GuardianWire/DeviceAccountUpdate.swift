import Primitives

/// Body of `PATCH api/device-accounts/{id}`, and of its answer. Absent members stay unchanged.
package struct DeviceAccountUpdate: Sendable, Equatable {
    /// The enrolment's id, only in answers.
    package var id: String?
    package var identifier: String?
    package var name: String?
    package var pushCredentials: PushCredentials?
    /// True if the device ends its push: `push_credentials` is null in the request.
    package var endsPush = false
    /// Only in requests. An empty set takes all capabilities back.
    package var capabilities: Set<DeviceCapability>?

    package init(
        id: String? = nil, identifier: String? = nil, name: String? = nil, pushCredentials: PushCredentials? = nil,
        endsPush: Bool = false, capabilities: Set<DeviceCapability>? = nil
    ) {
        self.id = id
        self.identifier = identifier
        self.name = name
        self.pushCredentials = pushCredentials
        self.endsPush = endsPush
        self.capabilities = capabilities
    }

    package init(parsing body: [UInt8]) throws(GuardianWireFailure) {
        let members = try Members(parsing: body)
        id = try members.optionalString("id")
        identifier = try members.optionalString("identifier")
        name = try members.optionalString("name")
        // Needs service and token if present: one alone would change nothing.
        if let credentials = try members.optionalMembers("push_credentials") {
            pushCredentials = try PushCredentials(credentials)
        }
        endsPush = members.isNull("push_credentials")
        capabilities = try members.capabilities()
        if identifier == "" { throw .invalid("identifier", expected: "a string that is not empty") }
        if name == "" { throw .invalid("name", expected: "a string that is not empty") }
    }

    /// The device's push credentials after the update.
    package func push(after earlier: PushCredentials?) -> PushCredentials? {
        endsPush ? nil : pushCredentials ?? earlier
    }

    package var json: [UInt8] {
        JSONWriter.object { writer in
            writer.member("id", ifPresent: id)
            writer.member("identifier", ifPresent: identifier)
            writer.member("name", ifPresent: name)
            if let pushCredentials { writer.member("push_credentials", object: pushCredentials.write) }
            if endsPush { writer.member("push_credentials", JSONValue.null) }
            if let capabilities { DeviceCapability.write(capabilities, to: &writer) }
        }
    }
}
