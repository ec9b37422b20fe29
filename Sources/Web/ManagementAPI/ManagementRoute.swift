import APIDescription
import HTTPModel
import JSONSchema
import Routing

/// Operations under one heading of the document.
struct RouteGroup: Sendable {
    let tag: String
    private let objects: String

    /// The scopes of an operation are `VERB:objects`, by its method, unless it names others.
    init(_ tag: String, scopes objects: String) {
        self.tag = tag
        self.objects = objects
    }

    func scopes(of method: HTTPMethod) -> [[String]] {
        let verb =
            switch method {
            case .post: "create"
            case .put, .patch: "update"
            case .delete: "delete"
            default: "read"
            }
        return [["\(verb):\(objects)"]]
    }
}

/// Handler and declaration of one operation. The declaration validates requests and generates the OpenAPI document.
struct ManagementRoute: Sendable {
    typealias Handle = @Sendable (ManagementCall) async throws -> ManagementAnswer

    let method: HTTPMethod
    /// Path below `/api/v2`, with parameters in braces: `/roles/{id}`.
    let path: String
    let operation: Operation
    /// Rank while the server is overloaded.
    let work: Admission.Work
    let handle: Handle

    /// - Parameters:
    ///   - id: Name of the operation in the document: `create_role`.
    ///   - details: Additional description.
    ///   - scopes: Alternative sets of scopes. The token needs every scope of one set. Nil means the group's.
    ///   - parameters: Query parameters. Path parameters are added as texts.
    ///   - body: Declaration of the body. Bodies that do not match are refused.
    ///   - answer: Answer on success. The answers common to all operations are added.
    ///   - refusals: Further statuses with their descriptions, such as 409.
    init(
        _ method: HTTPMethod, _ path: String, _ id: String, _ summary: String, in group: RouteGroup,
        details: String? = nil, scopes: [[String]]? = nil, parameters: [Operation.Parameter] = [],
        body: Operation.Body? = nil, answer: Operation.Answer, refusals: [(Int, String)] = [],
        work: Admission.Work = .begun, _ handle: @escaping Handle
    ) {
        self.method = method
        self.work = work
        self.path = path
        self.handle = handle
        let places = Route.parameterNames(of: path)
        var statuses: [Int: String] = [
            400: "A parameter or the body is wrong; the message names it",
            401: "The token is missing, expired or of another tenant",
            403: "The token lacks the scopes", 429: "Too many requests in this minute",
            503: "The server cannot do this now; the description says whether it may have been done",
        ]
        if !places.isEmpty { statuses[404] = "There is no such object" }
        if let types = body?.mediaTypes { statuses[415] = "The body is not \(types.joined(separator: " or "))" }
        for (status, text) in refusals { statuses[status] = text }
        let choosesFields = parameters.contains { $0.name == "fields" }
        operation = Operation(
            id, summary, tag: group.tag, details: details, security: .scopes(scopes ?? group.scopes(of: method)),
            parameters: places.map { Operation.Parameter($0, in: .path, .text(), "Id of the object") } + parameters,
            body: body,
            answers: [(choosesFields ? answer.withFewerMembers : answer).with(warningsAbout: body?.shape)]
                + statuses.sorted { $0.key < $1.key }.map {
                    Operation.Answer($0.key, $0.value, .reference(ManagementComponents.failure))
                } + Self.ofTheListener(hasBody: body != nil))
    }

    /// An operation whose answer has no body.
    init(
        _ method: HTTPMethod, _ path: String, _ id: String, _ summary: String, in group: RouteGroup,
        details: String? = nil, scopes: [[String]]? = nil, parameters: [Operation.Parameter] = [],
        body: Operation.Body? = nil, answer: Operation.Answer, refusals: [(Int, String)] = [],
        _ work: @escaping @Sendable (ManagementCall) async throws -> Void
    ) {
        self.init(
            method, path, id, summary, in: group, details: details, scopes: scopes, parameters: parameters, body: body,
            answer: answer, refusals: refusals
        ) { call in
            try await work(call)
            return .nothing(status: answer.status)
        }
    }

    /// Errors of the listener, before a request reaches the API.
    private static func ofTheListener(hasBody: Bool) -> [Operation.Answer] {
        [Operation.Answer(414, "The path or the query is too long"), Operation.Answer(431, "The head is too large")]
            + (hasBody
                ? [
                    Operation.Answer(411, "The body has no Content-Length"),
                    Operation.Answer(413, "The body is too large"),
                ] : [])
    }
}

/// Shared shapes with their names in the document.
enum ManagementComponents {
    static let failure = "ManagementError"

    static let warnings = Member(
        "warnings", .list(.text()), "Members of the body that were taken and have no effect, or another name now")

    static let failureShape = Shape.object([
        .required("statusCode", .integer()), .required("error", .text()), .required("message", .text()),
        Member("errorCode", .text()),
    ])
}

extension Operation.Answer {
    /// The answer with a member for warnings, if the body has members that cause some.
    fileprivate func with(warningsAbout body: Shape?) -> Operation.Answer {
        guard body?.protections.contains(where: { $0.warning != nil }) == true else { return self }
        return Operation.Answer(
            status, description, shape?.adding(ManagementComponents.warnings), example: example, mediaType: mediaType)
    }
}
