package import HTTPModel
package import JSONSchema
package import Primitives

/// One method of one path, as the OpenAPI document describes it (OpenAPI 3.1 clause 4.8.10).
package struct Operation: Sendable {
    /// Required authentication.
    package enum Security: Sendable {
        case open
        /// The client's own credentials (RFC 6749 clause 2.3).
        case client
        /// A token with every scope of one of these sets.
        case scopes([[String]])
        /// Another kind of token, named by the text.
        case token(String)
    }

    package struct Parameter: Sendable {
        package enum Place: String, Sendable { case path, query, header }

        package let name: String
        package let place: Place
        package let shape: Shape
        package let description: String
        package let isRequired: Bool

        package init(_ name: String, in place: Place, _ shape: Shape, _ description: String, isRequired: Bool = false) {
            self.name = name
            self.place = place
            self.shape = shape
            self.description = description
            self.isRequired = isRequired || place == .path
        }
    }

    package struct Body: Sendable {
        package let mediaTypes: [String]
        package let shape: Shape
        package let example: JSONValue?
        package let isRequired: Bool

        package init(
            _ shape: Shape, example: JSONValue? = nil, mediaTypes: [String] = ["application/json"],
            isRequired: Bool = true
        ) {
            self.shape = shape
            self.example = example
            self.mediaTypes = mediaTypes
            self.isRequired = isRequired
        }
    }

    package struct Answer: Sendable {
        package let status: Int
        package let description: String
        package let mediaType: String
        /// Nil means no body.
        package let shape: Shape?
        package let example: JSONValue?

        package init(
            _ status: Int, _ description: String, _ shape: Shape? = nil, example: JSONValue? = nil,
            mediaType: String = "application/json"
        ) {
            self.status = status
            self.description = description
            self.shape = shape
            self.example = example
            self.mediaType = mediaType
        }

        /// The same answer without required members.
        package var withFewerMembers: Answer {
            Answer(status, description, shape?.withoutRequirements, example: example, mediaType: mediaType)
        }
    }

    /// Unique in the document: `create_role`.
    package let id: String
    package let summary: String
    /// Group of the operation: `Roles`.
    package let tag: String
    package var details: String?
    package var security: Security
    package var parameters: [Parameter]
    package var body: Body?
    package var answers: [Answer]

    /// Declarations of the body's members.
    package var members: [MemberProtection] { body?.shape.protections ?? [] }

    /// Those that require additional scopes of a token.
    package var memberScopes: [MemberProtection] { members.filter { !$0.sets.isEmpty } }

    package init(
        _ id: String, _ summary: String, tag: String, details: String? = nil, security: Security = .open,
        parameters: [Parameter] = [], body: Body? = nil, answers: [Answer]
    ) {
        self.id = id
        self.summary = summary
        self.tag = tag
        self.details = details
        self.security = security
        self.parameters = parameters
        self.body = body
        self.answers = answers
    }
}

extension Operation {
    /// The operation with a text for each parameter of its path that it does not describe.
    package func declaring(pathParameters names: [String]) -> Operation {
        let described = Set(parameters.filter { $0.place == .path }.map(\.name))
        var whole = self
        whole.parameters =
            names.filter { !described.contains($0) }.map {
                Parameter($0, in: .path, .text(), "Part of the address")
            } + parameters
        return whole
    }
}

/// An operation with its method and path. Braces mark parameters of the path: `/api/v2/roles/{id}`.
package struct PlacedOperation: Sendable {
    package let method: HTTPMethod
    package let path: String
    package let operation: Operation

    package init(_ method: HTTPMethod, _ path: String, _ operation: Operation) {
        self.method = method
        self.path = path
        self.operation = operation
    }
}
