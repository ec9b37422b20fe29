package import Localization
package import Primitives

/// A login as a person reads it, in their language whatever language its message was made in.
package struct LoginPresentation: Sendable, Equatable {
    package struct Row: Sendable, Equatable {
        package let label: String
        package let value: String
    }

    /// The question that everything else explains.
    package let headline: String
    /// The screen that shows a number, such as "Firefox on macOS".
    package let screen: String
    package let rows: [Row]

    /// `zone` is the reader's time zone at a time.
    package init(
        _ login: RequestRecord.Login, in language: Language, zone: (Timestamp) -> ZoneOffset = { _ in .utc }
    ) {
        let texts = language.texts.loginRequest
        headline = texts.headline(login.application)
        screen = Self.screen(login.browser, login.system, in: language)
        let time = PresentedValue.Content.time(login.at).text(in: language, zone: zone)
        rows = [
            (texts.browser, screen), (texts.place, login.place?.name(in: language.rawValue)),
            (texts.address, login.address), (texts.time, time),
        ].compactMap { label, value in value.map { Row(label: label, value: $0) } }
    }

    /// A browser and its system, such as "Firefox on macOS". Nil is for one that is not known.
    package static func screen(_ browser: String?, _ system: String?, in language: Language) -> String {
        let texts = language.texts.loginRequest
        return switch (browser, system) {
        case (let browser?, let system?): texts.software(browser, system)
        case (let browser?, nil): browser
        case (nil, let system?): texts.software(texts.unknownBrowser, system)
        case (nil, nil): texts.unknownBrowser
        }
    }
}
