package import Localization

/// An amount of a currency. The amount keeps its spelling.
package struct Money: Sendable, Hashable {
    /// Decimal digits with an optional sign and fraction.
    package let amount: String
    /// Three letters (ISO 4217).
    package let currency: String

    package init(_ amount: String, _ currency: String) {
        self.amount = amount
        self.currency = currency
    }

    /// Signs that no other currency shares. Every other currency has its code.
    private static let signs = ["EUR": "€", "GBP": "£", "USD": "US$"]

    /// In groups of three digits before the fraction. No digit is added or left out.
    package func text(in language: Language) -> String {
        let words = language.texts.values
        let isNegative = amount.hasPrefix("-")
        let parts = amount.drop { $0 == "-" }.split(separator: ".")
        let whole = parts.first ?? ""
        var number = ""
        for (index, digit) in whole.enumerated() {
            if index > 0, (whole.count - index) % 3 == 0 { number += words.grouping }
            number.append(digit)
        }
        if parts.count > 1 { number += words.decimal + parts[1] }
        let minus = isNegative ? "-" : ""
        guard let sign = Self.signs[currency] else { return "\(minus)\(number)\u{A0}\(currency)" }
        return words.isSignFirst ? "\(minus)\(sign)\(number)" : "\(minus)\(number)\u{A0}\(sign)"
    }

    /// The exact sum for each currency, in the order in which they come.
    static func sums(_ all: [Money]) -> [Money] {
        var currencies: [String] = []
        for money in all where !currencies.contains(money.currency) { currencies.append(money.currency) }
        return currencies.map { currency in
            Money(sum(all.filter { $0.currency == currency }.map(\.amount)), currency)
        }
    }

    /// Digits are added one by one, so that no amount is too large. The sum of one amount has its spelling.
    private static func sum(_ amounts: [String]) -> String {
        guard amounts.count > 1 else { return amounts.first ?? "0" }
        let places =
            amounts.map { amount in
                amount.split(separator: ".").dropFirst().first?.count ?? 0
            }.max() ?? 0
        var digits: [Int] = []
        for amount in amounts {
            let parts = amount.drop { $0 == "-" }.split(separator: ".")
            let fraction = parts.count > 1 ? parts[1] : ""
            let padded = String(parts.first ?? "") + fraction + String(repeating: "0", count: places - fraction.count)
            for (place, digit) in padded.reversed().enumerated() {
                if place == digits.count { digits.append(0) }
                digits[place] += (amount.hasPrefix("-") ? -1 : 1) * (digit.wholeNumberValue ?? 0)
            }
        }
        let isNegative = carried(digits).carry < 0
        var (whole, carry) = carried(isNegative ? digits.map(-) : digits)
        while carry > 0 {
            whole.append(carry % 10)
            carry /= 10
        }
        while whole.count > places + 1, whole.last == 0 { whole.removeLast() }
        let text = whole.reversed().map(String.init).joined()
        let fraction = places > 0 ? "." + text.suffix(places) : ""
        return (isNegative ? "-" : "") + text.dropLast(places) + fraction
    }

    /// Each place from 0 to 9, and the rest above them.
    private static func carried(_ digits: [Int]) -> (digits: [Int], carry: Int) {
        var (carry, result) = (0, digits)
        for place in result.indices {
            let value = result[place] + carry
            carry = value >= 0 ? value / 10 : (value - 9) / 10
            result[place] = value - 10 * carry
        }
        return (result, carry)
    }
}
