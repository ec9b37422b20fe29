import HTTPModel
import OAuthWire
import Primitives

extension CountersignClient {
    /// Maximum time that ``withdraw(_:)`` waits for the server.
    private static let withdrawalTimeout: Duration = .seconds(5)

    /// Withdraws a request that nobody has answered. The user's devices remove it, and pending polls throw
    /// ``CountersignError/denied(reason:)``. For an answered or expired request, this does nothing.
    public func cancel(_ pending: PendingAuthorization) async throws(CountersignError) {
        try await revoke(pending.authReqID, hint: "auth_req_id", timeout: Self.withdrawalTimeout)
    }

    /// RFC 7009.
    func revoke(_ token: String, hint: String, timeout: Duration = .seconds(30)) async throws(CountersignError) {
        guard let endpoint = try await provider.metadata().revocationEndpoint else {
            throw .protocolViolation("the server has no revocation endpoint")
        }
        let form = FormFields([("token", token), ("token_type_hint", hint)])
        let response = try await post(form, to: endpoint, timeout: timeout)
        guard response.status == 200 else { throw ErrorAnswer(response).commonError }
    }

    /// Withdraws the request of a cancelled task, in which requests fail. Errors are ignored: the request then expires.
    func withdraw(_ pending: PendingAuthorization) async { await Task { try? await cancel(pending) }.value }
}
