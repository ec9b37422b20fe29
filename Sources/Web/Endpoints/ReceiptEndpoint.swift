import Audit
import ApprovalWire
import AuthorizationCore
package import Flows
package import HTTPModel
import OAuthWire
import Primitives
package import Routing

/// Receipt of a decision, for the client that asked for it and for APIs that were given its access token.
struct ReceiptEndpoint: Sendable {
    let flows: UseCases
    let clients: OAuthEndpoints

    var routes: [Route] {
        [
            Route(
                path: EndpointPath.approvals.rawValue + "/{id}/receipt", .bearer,
                [.get: (.receipt("receipt"), receipt), .post: (.receipt("receipt_by_post"), receipt)])
        ]
    }

    @Sendable func receipt(_ call: EndpointCall) async throws -> Response {
        let consent = ConsentID(call.parameter("id"))
        guard let token = call.request.authorization() else {
            let hasCredentials = call.request.fields["Authorization"] != nil || call.request.clientCertificate != nil
            guard call.request.method != .get || hasCredentials else {
                throw OAuthError(
                    .invalidClient,
                    "Send the access token of the approval as Authorization: Bearer, or the client's id and secret by "
                        + "HTTP Basic")
            }
            return try await clients.answering(call, refusals: .init(unproven: .clientCredentialsRefused)) {
                authenticated in
                try authenticated.requireConfidential(for: .ciba)
                return try await receipt(of: consent, to: .client(authenticated.client.id), call.context)
            }
        }
        let accepted = try await flows.tokens.reader.accept(
            token, with: call.request.clientCertificate, context: call.context)
        return try await receipt(of: consent, to: .authorization(accepted.token.authorization), call.context)
    }

    private func receipt(
        of consent: ConsentID, to reader: IssueReceipt.Reader, _ context: RequestContext
    ) async throws -> Response {
        .receipt(try await flows.backchannel.receipts.issue(consent, to: reader, context))
    }
}

extension Response {
    /// A compact JWS (RFC 7515), named by its `typ` (RFC 8725 clause 3.11).
    static func receipt(_ token: String) -> Response {
        Response(
            status: 200,
            fields: ["Content-Type": ReceiptClaims.mediaType, "Cache-Control": "no-store"],
            body: .bytes(Array(token.utf8)))
    }
}

extension IssueReceipt.Failure: ResponseError {
    package var logDetail: String? { self == .changed ? "the stored evidence does not match its seal" : nil }

    package func response(in style: ErrorStyle, to request: Request) -> Response {
        let error =
            switch self {
            case .notFound: OAuthError(.notFound, "There is no decision of that id, or it is kept no longer")
            case .changed: OAuthError(.serverError, "The stored decision was changed, so it proves nothing any more")
            }
        return error.response(in: style, to: request)
    }
}
