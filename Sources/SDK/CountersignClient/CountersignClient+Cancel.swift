import HTTPModel
import OAuthWire
import Primitives

extension CountersignClient {
    /// Maximum time that ``withdraw(_:)`` waits for the server.
    private static let withdrawalTimeout: Duration = .seconds(5)

    /// Withdraws a request that nobody has answered. The user's devices remove it, and pending polls throw
    /// ``CountersignError/denied(reason:)``. For an answered or expired request, this does nothing.
    public func cancel(_ pending: PendingAuthorization) async throws(CountersignError) {
        guard let endpoint = try await provider.metadata().revocationEndpoint else {
            throw .protocolViolation("the server has no revocation endpoint")
        }
        let form = FormFields([("token", pending.authReqID), ("token_type_hint", "auth_req_id")])
        let response = try await post(form, to: endpoint, timeout: Self.withdrawalTimeout)
        guard response.status == 200 else { throw ErrorAnswer(response).commonError }
    }

    /// Withdraws the request of a cancelled task, in which requests fail. Errors are ignored: the request then expires.
    func withdraw(_ pending: PendingAuthorization) async {
        await Task { try? await cancel(pending) }.value
    }
}
