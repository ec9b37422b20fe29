import Localization
import Primitives

/// A receipt's meaning for somebody who knows no signatures.
extension VerifiedReceipt {
    /// Facts that hold as long as the keys are the issuer's. Each is a sentence.
    package var proven: [String] {
        let (evidence, record) = (claims.evidence, claims.evidence.record)
        let headlines = record.presentation(in: "en").headlines.map { $0.text(in: .english) }
        let about = headlines.isEmpty ? "" : ", \(headlines.joined(separator: ", ")),"
        let stated = """
            \(record.issuer) states that \(record.user) \(evidence.decision.rawValue) exactly this request of \
            \(record.client.name) (\(record.client.id))\(about) on \(evidence.decidedAt.iso8601).
            """
        let made = "Nobody has changed this receipt since \(record.issuer) made it on \(claims.issuedAt.iso8601)."
        return [stated] + login + signed + [made]
    }

    private var login: [String] {
        guard let login = claims.evidence.record.display.login else { return [] }
        let shown = LoginPresentation(login, in: .english)
        let facts = shown.rows.map { "\($0.label) \($0.value)" }.joined(separator: "; ")
        return ["The request was for a login to \(login.application). It told: \(facts)."]
    }

    private var signed: [String] {
        let evidence = claims.evidence
        if let session = evidence.session {
            return [
                """
                \(evidence.record.issuer) states that the decision was made in a browser in which \
                \(evidence.record.user) had logged in on \(session.authenticatedAt.iso8601) by \
                \(session.methods.isEmpty ? "a method without a name" : session.methods.joined(separator: ", ")).
                """
            ]
        }
        guard let name = evidence.answer?.device.name else { return [] }
        if let rejectedPick {
            let object = evidence.level == .signedChallenge ? "a challenge of the server" : "exactly this text"
            return [
                """
                The key of the device \(name) signed an approval of \(object) with the number \(rejectedPick). \
                \(evidence.record.issuer) states that the asking screen displayed another number.
                """
            ]
        }
        let act = evidence.decision == .allowed ? "approval" : "rejection"
        let digest = """
            The key of the device \(name) signed the \(act) of exactly this text. Without that key, nobody can \
            make such an answer, not even the operator of \(evidence.record.issuer).
            """
        return switch evidence.level {
        case .userVerified:
            [
                digest,
                """
                The passkey of that device signed exactly this text at \(evidence.passkey?.relyingParty ?? ""), after \
                its authenticator verified its user.
                """,
            ]
        case .signedDigest: [digest]
        case .signedChallenge:
            [
                """
                The key of the device \(name) signed one \(act), which names a challenge of the server instead of \
                the text. Without that key, nobody can make such an answer, not even the operator of \
                \(evidence.record.issuer).
                """
            ]
        case .session: []
        }
    }

    /// Facts that a reader may expect, but that only others can tell. Each is a sentence.
    package var notProven: [String] {
        let record = claims.evidence.record
        let owner = "That the key is a key of \(record.user). Only the operator of \(record.issuer) says so."
        let device = ["The person who held the device when it signed.", owner]
        let log = """
            That the audit log still has the entry. At the server, countersign log verify --expect \
            \(claims.audit.entry) checks that.
            """
        return switch claims.evidence.level {
        case .userVerified:
            [
                """
                The kind of authenticator that verified its user, and the person whom it knows. Only the operator of \
                \(record.issuer) says that the passkey is one of \(record.user).
                """, owner, log,
            ]
        case .signedDigest: device + [log]
        case .signedChallenge:
            [
                """
                That the challenge belongs to this text. Only the operator of \(record.issuer) says so.
                """
            ] + device + [log]
        case .session:
            [
                """
                That \(record.user) decided. The decision was made in a browser after a login, and no key \
                but the issuer's signed it.
                """, log,
            ]
        }
    }
}
