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
            client = transaction.client.id
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

        /// True if the person picks the page's number on the phone. Phones that cannot show numbers show one in the
        /// message.
        func asksNumber(of approver: Approver, in configuration: TenantConfiguration) -> Bool {
            guard approver.canMatchNumbers else { return false }
            if configuration.tenant.settings.loginMatching == .choose { return true }
            let types = details?.arrayValue?.compactMap { $0["type"]?.stringValue } ?? []
            return configuration.demandsMatching(of: client, for: audience, types)
        }

        func auditDetails(of request: BackchannelRequest) -> JSONObject {
            [
                "audience": .string(audience), "scope": .string(scope.description),
                "request_digest": .string(request.digest.description),
            ]
        }
    }
}
