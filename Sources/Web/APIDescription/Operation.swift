public import HTTPModel
public import Primitives

/// What one method does at one path, as the OpenAPI document tells it (OpenAPI 3.1 clause 4.8.10).
public struct Operation: Sendable {
    /// Who may call it.
    public enum Security: Sendable {
        case open
        /// The client's own credentials (RFC 6749 clause 2.3).
        case client
        /// A token with all scopes of one of these sets.
        case scopes([[String]])
        /// A token of another kind, which the text names.
        case token(String)
    }

    public struct Parameter: Sendable {
        public enum Place: String, Sendable { case path, query, header }

        public let name: String
        public let place: Place
        public let shape: Shape
        public let description: String
        public let isRequired: Bool

        public init(
            _ name: String, in place: Place, _ shape: Shape, _ description: String, isRequired: Bool = false
        ) {
            self.name = name
            self.place = place
            self.shape = shape
            self.description = description
            self.isRequired = isRequired || place == .path
        }
    }

    public struct Body: Sendable {
        public let mediaTypes: [String]
        public let shape: Shape
        public let example: JSONValue?
        public let isRequired: Bool

        public init(
            _ shape: Shape, example: JSONValue? = nil, mediaTypes: [String] = ["application/json"],
            isRequired: Bool = true
        ) {
            self.shape = shape
            self.example = example
            self.mediaTypes = mediaTypes
            self.isRequired = isRequired
        }
    }

    public struct Answer: Sendable {
        public let status: Int
        public let description: String
        public let mediaType: String
        /// Nil without a body.
        public let shape: Shape?
        public let example: JSONValue?

        public init(
            _ status: Int, _ description: String, _ shape: Shape? = nil, example: JSONValue? = nil,
            mediaType: String = "application/json"
        ) {
            self.status = status
            self.description = description
            self.shape = shape
            self.example = example
            self.mediaType = mediaType
        }

        /// The same where members may be left out.
        public var withFewerMembers: Answer {
            Answer(status, description, shape?.withoutRequirements, example: example, mediaType: mediaType)
        }
    }

    /// Unique in the document: `create_role`.
    public let id: String
    public let summary: String
    /// What it belongs to: `Roles`.
    public let tag: String
    public var details: String?
    public var security: Security
    public var parameters: [Parameter]
    public var body: Body?
    public var answers: [Answer]

    /// Members of the body that a token needs further scopes for.
    public var memberScopes: [MemberScopes] { body?.shape.memberScopes ?? [] }

    public init(
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

/// An operation with its place. Parts of the path in braces are parameters: `/api/v2/roles/{id}`.
public struct PlacedOperation: Sendable {
    public let method: HTTPMethod
    public let path: String
    public let operation: Operation

    public init(_ method: HTTPMethod, _ path: String, _ operation: Operation) {
        self.method = method
        self.path = path
        self.operation = operation
    }
}
