import ApprovalWire
import HTTPModel
import OAuthWire
import Primitives

extension CountersignClient {
    /// Verifies the receipt that came with tokens, by the keys that the server publishes now. Keep its text
    /// (``ApprovalReceipt/encoded``) and these keys if it has to convince somebody later.
    ///
    /// - Returns: Nil means that the tokens came without a receipt.
    /// - Throws: `receiptInvalid` also for a receipt of another client or of a rejection.
    public func approvalReceipt(in tokens: Tokens) async throws(CountersignError) -> ApprovalReceipt? {
        guard let text = tokens.approvalReceipt else { return nil }
        let receipt = try await verified(text)
        guard receipt.decision == .allowed else {
            throw .receiptInvalid(rule: "decision", "it is about a rejection, but came with tokens")
        }
        if let subject = tokens.idToken?.subject, subject != receipt.user {
            throw .receiptInvalid(rule: "subject", "it is about another user than the ID token")
        }
        return receipt
    }

    /// Fetches and verifies the receipt of an approval.
    ///
    /// - Parameters:
    ///   - id: The approval's id: ``ApprovalReceipt/id`` of an earlier receipt, or `approval.id` of the access token if
    ///     the API's tokens have it.
    ///   - accessToken: An access token of that approval.
    /// - Throws: `receiptInvalid` also for a receipt of another approval or client.
    public func approvalReceipt(
        id: String, accessToken: String
    ) async throws(CountersignError) -> ApprovalReceipt {
        let issuer = try await provider.metadata().issuer
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        let response = try await send(
            ClientRequest(
                method: .get, url: "\(base)\(EndpointPath.approvals.rawValue)/\(PercentEncoding.encode(id))/receipt",
                fields: ["Authorization": "Bearer \(accessToken)", "Accept": ReceiptClaims.mediaType]))
        guard response.status == 200 else { throw ErrorAnswer(response).commonError }
        let receipt = try await verified(String(decoding: response.body, as: UTF8.self))
        guard receipt.id == id else { throw .receiptInvalid(rule: "id", "it is about another approval") }
        return receipt
    }

    private func verified(_ text: String) async throws(CountersignError) -> ApprovalReceipt {
        let receipt = ApprovalReceipt(try await provider.verified(receipt: text))
        guard receipt.client.id == clientID else {
            throw .receiptInvalid(rule: "client", "it is about a request of another client")
        }
        return receipt
    }
}
