import APIDescription
import Administration
import Audit
import AuthorizationCore
import Configuration
import Flows
import HTTPModel
import JSONSchema
import OAuthWire
import Primitives
import Routing

/// `POST /approvals`: a person who is logged in tries a client by a request to themself.
struct TryClientRoute: Sendable {
    let trial: TryClient

    private static let body = Shape.object([
        Member.required("client_id", .text(1...255), "The client that asks").protecting(.nothing),
        Member.required("binding_message", .text(1...255), "Text that the person reads").protecting(.nothing),
        Member("scope", .text(1...2048), "`openid` and scopes of the API, with spaces between them. Default: `openid`")
            .protecting(.nothing, ["create:approvals"]),
        Member("audience", .text(1...600), "Identifier of the API").protecting(.nothing),
        Member("authorization_details", .list(.anyObject, 0...100), "Details to approve (RFC 9396)")
            .protecting(.nothing),
    ])

    var all: [ManagementRoute] {
        [
            ManagementRoute(
                .post, "/approvals", "create_approval", "Send yourself a request of a client, to try it",
                in: RouteGroup("Approvals", scopes: "approvals"),
                details: """
                    For people on the pages of administrators alone: the request goes to the caller, and to nobody else. \
                    Clients ask at `/bc-authorize`.
                    """,
                body: Operation.Body(
                    Self.body,
                    example: ["client_id": "agent", "binding_message": "Order 4711", "scope": "openid"]),
                answer: Operation.Answer(201, "The request", .object([.required("id", .text())])), start)
        ]
    }

    @Sendable private func start(_ call: ManagementCall) async throws -> ManagementAnswer {
        guard case .person(let user) = call.context.actor else {
            throw ManagementFailure(403, "Only a person can try a client; clients ask at /bc-authorize")
        }
        let client = ClientID(call.document["client_id"]?.stringValue ?? "")
        var parameters: [(name: String, value: String)] = []
        for (name, absent) in [("binding_message", nil), ("scope", "openid"), ("audience", nil)] {
            let value = call.document[name]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
            if let value = value ?? absent { parameters.append((name, value)) }
        }
        if let details = call.document["authorization_details"], details.arrayValue?.isEmpty == false {
            parameters.append(("authorization_details", JSONWriter.string(details)))
        }
        do {
            guard let consent = try await trial.start(client, parameters, to: user, call.call.context)
            else { throw AdministrationFailure.unknown(.client) }
            return .value(["id": .string(consent.rawValue)], status: 201)
        } catch let error as OAuthError {
            throw ManagementFailure.invalidBody(error.description.text, at: Self.member(error.code))
        }
    }

    /// Member that is at fault. Empty for a fault of none.
    private static func member(_ code: OAuthError.Code) -> String {
        switch code {
        case .invalidBindingMessage: "binding_message"
        case .invalidScope: "scope"
        case .invalidTarget: "audience"
        case .invalidAuthorizationDetails: "authorization_details"
        default: ""
        }
    }
}
