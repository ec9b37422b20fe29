/// A part of the catalogue that waits for its language: ``localized`` and the path to a text make one.
@dynamicMemberLookup
package struct Localized<Value>: Sendable {
    private let choose: @Sendable (Language) -> Value

    package init(_ choose: @escaping @Sendable (Language) -> Value) { self.choose = choose }

    package subscript(language: Language) -> Value { choose(language) }

    package subscript<Member>(dynamicMember path: any KeyPath<Value, Member> & Sendable) -> Localized<Member> {
        Localized<Member> { [choose] in choose($0)[keyPath: path] }
    }

    // Overloads, since the compiler makes no code for a function type with a parameter pack.
    package func callAsFunction<A: Sendable, Result>(_ a: A) -> Localized<Result>
    where Value == @Sendable (A) -> Result {
        Localized<Result> { [choose] in choose($0)(a) }
    }

    package func callAsFunction<A: Sendable, B: Sendable, Result>(_ a: A, _ b: B) -> Localized<Result>
    where Value == @Sendable (A, B) -> Result {
        Localized<Result> { [choose] in choose($0)(a, b) }
    }
}

package typealias LocalizedText = Localized<String>

/// The catalogue, before its language is known: `localized.login.title` is a ``LocalizedText``.
package let localized = Localized<Texts> { $0.texts }

/// Two texts are equal if they are in every language.
extension Localized: Equatable where Value: Equatable {
    package static func == (one: Localized, other: Localized) -> Bool {
        Language.allCases.allSatisfy { one[$0] == other[$0] }
    }
}
