import ApprovalWire
package import AuthorizationCore
package import GuardianWire
import Localization
import Primitives

/// Result of comparing the number that a person picked with the one that the asking screen displays.
package enum NumberMatch: Sendable, Equatable {
    /// The numbers agree, or none has to be picked.
    case right
    /// An allow without a number counts for nothing.
    case missing
    /// Somebody allowed without seeing the asking screen.
    case wrong
}

extension GuardianTransactionTokens {
    /// The number that the asking screen displays. Nil if the request has none to pick.
    package func matchingCode(of request: BackchannelRequest) -> MatchingNumber? {
        let choices = request.record.display.matchingChoices
        guard !choices.isEmpty else { return nil }
        return choices[matchingPlace(of: request, among: choices.count)]
    }

    /// The request's message for a phone. It has the number for one that cannot show numbers to pick, so that the person
    /// compares it with the asking screen.
    func message(of request: BackchannelRequest, to device: Device) -> String {
        let message = request.record.bindingMessage
        guard !device.capabilities.contains(.numberMatching), let code = matchingCode(of: request) else {
            return message
        }
        // Like the rest of a notification, it is not in the person's language.
        return "\(message). \(Language.english.texts.phone.number(code.description))"
    }

    /// Checks an answer that allows. It may come from a phone or from a session.
    /// - Parameter mustPick: False for a phone that cannot show numbers. Its notification names the right one.
    package func match(
        _ pick: MatchingNumber?, of request: BackchannelRequest, mustPick: Bool = true
    ) -> NumberMatch {
        guard let code = matchingCode(of: request) else { return .right }
        guard let pick else { return mustPick ? .missing : .right }
        return pick == code ? .right : .wrong
    }
}

extension MatchingNumber {
    /// Different numbers for a request, in random order.
    static func choices(_ random: some RandomSource) -> [MatchingNumber] {
        var left = (0...99).compactMap { MatchingNumber($0) }
        return (0..<RequestRecord.Display.choiceCount).map { _ in
            let bytes = random.bytes(2)
            return left.remove(at: (Int(bytes[0]) << 8 | Int(bytes[1])) % left.count)
        }
    }
}
