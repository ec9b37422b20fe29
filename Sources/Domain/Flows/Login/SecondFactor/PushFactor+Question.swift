import ApprovalWire
import AuthorizationCore
import OAuthWire
import Primitives

extension PushFactor {
    /// The question to the phone: the whole transaction if the API wants each confirmed, and else the login alone.
    struct Question: Sendable, Equatable {
        let client: ClientID
        let audience: String
        let scope: ScopeSet
        let details: JSONValue?

        init(_ transaction: LoginTransaction) {
            client = transaction.goal.asker
            guard transaction.isConfirmedEachTime else {
                audience = transaction.tenant.userinfoAudience
                scope = ScopeSet()
                details = nil
                return
            }
            audience = transaction.access.audience
            scope = transaction.access.scope
            details = transaction.request.authorizationDetails?.json
        }

        func digest(_ hashing: any Hashing) -> [UInt8] {
            hashing.sha256(
                JSONWriter.bytes(
                    .array([
                        .string(client.rawValue), .string(audience), .string(scope.description), details ?? .null,
                    ])))
        }

        /// The way in which the person gives the page's number on the phone. Nil means that the phone shows it.
        func matching(of approver: Approver, _ transaction: LoginTransaction) -> NumberMatching? {
            let types = details?.arrayValue?.compactMap { $0["type"]?.stringValue } ?? []
            let demand = transaction.configuration.matching(of: client, for: audience, types)
            let ofLogins: NumberMatching? =
                switch transaction.tenant.settings.loginMatching {
                case .choose: transaction.isOfAdministrator ? .type : .choose
                case .type: .type
                case .off: nil
                }
            return approver.matching(for: .strongest(demand, ofLogins))
        }

        func auditDetails(of request: BackchannelRequest) -> JSONObject {
            [
                "audience": .string(audience), "scope": .string(scope.description),
                "request_digest": .string(request.digest.description),
            ]
        }
    }
}
