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
        let display = request.record.display
        if display.isNumberTyped { return MatchingNumber(derivedNumber(of: request, below: 100)) }
        let choices = display.matchingChoices
        return choices.isEmpty ? nil : choices[derivedNumber(of: request, below: choices.count)]
    }

    /// The request's message for a phone. It has the number for one that cannot take it, so that the person compares it
    /// with the asking screen.
    func message(of request: BackchannelRequest, to device: Device) -> String {
        let message = request.record.bindingMessage
        guard !device.capabilities.takesNumber(of: request.record), let code = matchingCode(of: request) else {
            return message
        }
        let language = request.record.display.language.flatMap { Language(tag: $0) } ?? .english
        return "\(message). \(language.texts.phone.number(code.description))"
    }

    /// Checks an answer that allows. It may come from a phone or from a session.
    /// - Parameter mustPick: False for a phone that cannot take a number. Its notification names the right one.
    package func match(
        _ pick: MatchingNumber?, of request: BackchannelRequest, mustPick: Bool = true
    ) -> NumberMatch {
        guard let code = matchingCode(of: request) else { return .right }
        guard let pick else { return mustPick ? .missing : .right }
        return pick == code ? .right : .wrong
    }
}

extension Set<DeviceCapability> {
    /// True if the phone can take the number of that request.
    func takesNumber(of record: RequestRecord) -> Bool {
        contains(record.display.isNumberTyped ? .numberTyping : .numberMatching)
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
