import ApprovalWire
import AuthorizationCore
import GuardianWire

extension ResolveBackchannelRequest {
    /// A rejection needs no evidence: it gives nothing.
    static func checkEvidence(
        _ answer: ChallengeResponse, _ confirmed: PasskeyAnswers.Accepted?, _ request: BackchannelRequest,
        _ configuration: TenantConfiguration
    ) throws(DeviceFailure) {
        guard answer.accepted else { return }
        let demand = configuration.evidence(for: request)
        // An assertion alone does not say which of the user's devices showed the request.
        guard answer.requestDigest != nil || demand == nil && confirmed == nil else {
            throw DeviceFailure(
                .invalidChallenge,
                "Invalid challenge_response: this request is allowed only with its request_digest in the signed answer",
                detail: "a signed digest is demanded")
        }
        guard demand != .passkey || confirmed != nil else { throw .passkeyRequired }
    }

    static func level(_ answer: ChallengeResponse, _ confirmed: PasskeyAnswers.Accepted?) -> ApprovalEvidence.Level {
        if confirmed != nil { return .userVerified }
        return answer.requestDigest == nil ? .signedChallenge : .signedDigest
    }
}
