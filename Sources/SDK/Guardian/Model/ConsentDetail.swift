package import ApprovalWire
public import Foundation
import Localization
import Primitives

/// One authorization detail (RFC 9396) as a person reads it: every member, by the labels, the order and the formats that
/// the API declares for its type. All of it is read from the signed record.
public struct ConsentDetail: Sendable, Hashable {
    package let detail: RequestPresentation.Detail

    /// The member `type`. Nil if it is not a string.
    public var type: String? { detail.type }
    /// The declared label of the type. Nil means that the API declares none.
    public var label: String? { detail.label }
    public var description: String? { detail.description }
    /// All other members, those with a declared order first.
    public var values: [ConsentValue] { detail.members.map(ConsentValue.init) }
    /// True if a value is an amount of money.
    public var hasMoney: Bool { detail.hasMoney }
    /// True if several requests with such a detail may be allowed at once although it has money.
    public var isGroupable: Bool { detail.isGroupable }
}

/// Values that count most in a request. Show it as the largest text, above the client's own words.
public struct ConsentHeadline: Sendable, Hashable {
    /// A line for each detail that has a headline, such as "€2,500.00 to Merchant A". Never empty. All values are in
    /// ``Consent/details(inLanguage:)`` too.
    public let lines: [String]
    /// Text of the button, after "Allow": the exact sum for each currency, or a short value. Nil means the bare verb.
    public let action: String?
}

/// A value of an authorization detail with its label.
public struct ConsentValue: Sendable, Hashable {
    /// Kinds of values. Show all of them.
    public enum Content: Sendable, Hashable {
        case none
        case flag(Bool)
        /// A number in the spelling of the request.
        case number(String)
        case text(String)
        /// Decimal digits in the spelling of the request, and the currency's three letters (ISO 4217).
        case money(amount: String, currency: String)
        /// `YYYY-MM-DD`, a day that exists.
        case date(String)
        case time(Date)
        /// The number of an account. An IBAN is in groups of four.
        case account(String)
        /// Members of an object, those with a declared order first.
        case members([ConsentValue])
        case elements([ConsentValue])
    }

    let value: PresentedValue

    init(_ value: PresentedValue) { self.value = value }

    /// The member's name in the request. Nil for an element of a list.
    public var name: String? { value.name }
    /// The label that the API declares for the member, or for each element. Nil means that it declares none.
    public var label: String? { value.label }
    /// The label, or the name. A name that imitates the label of a member beside it is in quotation marks. Nil for an
    /// element without label.
    public var title: String? { value.title }
    public var description: String? { value.description }

    public var content: Content {
        switch value.content {
        case .none: .none
        case .flag(let flag): .flag(flag)
        case .number(let literal): .number(literal)
        case .text(let text): .text(text)
        case .money(let amount, let currency): .money(amount: amount, currency: currency)
        case .date(let text): .date(text)
        case .time(let time): .time(Date(time))
        case .account(let text): .account(text)
        case .members(let members): .members(members.map(ConsentValue.init))
        case .elements(let elements): .elements(elements.map(ConsentValue.init))
        case .emptyObject: .members([])
        case .emptyList: .elements([])
        }
    }

    /// The value as a text. Nil for members and elements, which have texts of their own. A text that could be taken for
    /// a number or another kind of value is in quotation marks.
    ///
    /// - Parameters:
    ///   - language: A language tag, such as `de-AT`. English stands for a language that the SDK does not have.
    ///   - timeZone: The reader's time zone.
    public func text(inLanguage language: String, timeZone: TimeZone = .current) -> String? {
        value.content.text(in: Language(tag: language) ?? .english) { time in
            let date = Date(time)
            let seconds = timeZone.secondsFromGMT(for: date)
            return ZoneOffset(seconds: seconds, name: timeZone.abbreviation(for: date) ?? "UTC")
        }
    }
}

extension Consent {
    /// The authorization details in the order of the request, with labels in a language. Show each value of each detail,
    /// in this order.
    ///
    /// - Parameter language: A language tag, such as `de-AT`. Labels without a translation are in their own language.
    public func details(inLanguage language: String) -> [ConsentDetail] {
        presentation(in: language).details.map(ConsentDetail.init(detail:))
    }

    /// Values that count most. Nil means that nothing counts more than the rest: "APP asks for your approval" is then the
    /// largest text.
    ///
    /// - Parameters:
    ///   - language: A language tag, such as `de-AT`. English stands for a language that the SDK does not have.
    ///   - timeZone: The reader's time zone.
    public func headline(inLanguage language: String, timeZone: TimeZone = .current) -> ConsentHeadline? {
        let presentation = presentation(in: language)
        let known = Language(tag: language) ?? .english
        let zone = { (time: Timestamp) in
            let date = Date(time)
            let seconds = timeZone.secondsFromGMT(for: date)
            return ZoneOffset(seconds: seconds, name: timeZone.abbreviation(for: date) ?? "UTC")
        }
        let lines = presentation.headlines.map { $0.text(in: known, zone: zone) }
        return lines.isEmpty ? nil : ConsentHeadline(lines: lines, action: presentation.action(in: known, zone: zone))
    }

    package func presentation(in language: String) -> RequestPresentation {
        RequestPresentation(
            details: requestedDetails.authorizationDetails.map { $0.value.objectValue ?? [:] },
            presentation: presentation, language: language)
    }
}
