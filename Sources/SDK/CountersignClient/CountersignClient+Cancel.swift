import HTTPModel
import OAuthWire
import Primitives

extension CountersignClient {
    /// Longest wait for the server to note a withdrawal.
    private static let withdrawalTimeout: Duration = .seconds(5)

    /// Withdraws a request that nobody has answered: the person's devices let go of it, and whoever waits for it gets
    /// ``CountersignError/denied(reason:)``. A request that was answered or has expired stays as it is, which is no error.
    public func cancel(_ pending: PendingAuthorization) async throws(CountersignError) {
        guard let endpoint = try await provider.metadata().revocationEndpoint else {
            throw .protocolViolation("the server has no revocation endpoint")
        }
        let form = FormFields([("token", pending.authReqID), ("token_type_hint", "auth_req_id")])
        let response = try await post(form, to: endpoint, timeout: Self.withdrawalTimeout)
        guard response.status == 200 else { throw ErrorAnswer(response).commonError }
    }

    /// The same for a task that was cancelled, in which nothing could be sent any more. A request that cannot be withdrawn
    /// expires.
    func withdraw(_ pending: PendingAuthorization) async {
        await Task { try? await cancel(pending) }.value
    }
}
