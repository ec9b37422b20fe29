import Primitives

/// A device's change of its push.
package enum PushChange: Sendable, Equatable {
    case register(PushCredentials)
    /// `push_credentials` is null: the device has only the device channel from now on.
    case end
}

/// Body of `PATCH api/device-accounts/{id}`, and of its answer. Absent members stay unchanged.
package struct DeviceAccountUpdate: Sendable, Equatable {
    /// The enrolment's id, only in answers.
    package var id: String?
    package var identifier: String?
    package var name: String?
    package var push: PushChange?
    /// Only in requests. An empty set takes all capabilities back.
    package var capabilities: Set<DeviceCapability>?

    package init(
        id: String? = nil, identifier: String? = nil, name: String? = nil, push: PushChange? = nil,
        capabilities: Set<DeviceCapability>? = nil
    ) {
        self.id = id
        self.identifier = identifier
        self.name = name
        self.push = push
        self.capabilities = capabilities
    }

    package init(parsing body: [UInt8]) throws(GuardianWireFailure) {
        let members = try Members(parsing: body)
        id = try members.optionalString("id")
        identifier = try members.optionalString("identifier")
        name = try members.optionalString("name")
        // Needs service and token if present: one alone would change nothing.
        if let credentials = try members.optionalMembers("push_credentials") {
            push = .register(try PushCredentials(credentials))
        } else if members.isNull("push_credentials") {
            push = .end
        }
        capabilities = try members.capabilities()
        if identifier == "" { throw .invalid("identifier", expected: "a string that is not empty") }
        if name == "" { throw .invalid("name", expected: "a string that is not empty") }
    }

    /// The new push credentials. Nil without a change, and at the end of push.
    package var pushCredentials: PushCredentials? {
        if case .register(let credentials) = push { credentials } else { nil }
    }

    /// The device's push credentials after the update.
    package func push(after earlier: PushCredentials?) -> PushCredentials? {
        switch push {
        case nil: earlier
        case .register(let credentials): credentials
        case .end: nil
        }
    }

    package var json: [UInt8] {
        JSONWriter.object { writer in
            writer.member("id", ifPresent: id)
            writer.member("identifier", ifPresent: identifier)
            writer.member("name", ifPresent: name)
            switch push {
            case nil: break
            case .register(let credentials): writer.member("push_credentials", object: credentials.write)
            case .end: writer.member("push_credentials", JSONValue.null)
            }
            if let capabilities { DeviceCapability.write(capabilities, to: &writer) }
        }
    }
}
