/// Browser and operating system that a request says it comes from, without their versions.
///
/// The sender of a request chooses what it says. So only names of the tables below are taken over, never a text of the
/// request.
package struct BrowserSoftware: Sendable, Equatable {
    /// Nil means that it is not among the common ones.
    package let browser: String?
    /// Nil means that it is not among the common ones.
    package let system: String?

    package static let unknown = BrowserSoftware(browser: nil, system: nil)

    /// Maximum bytes of a field that are read.
    private static let limit = 512

    package init(browser: String?, system: String?) {
        self.browser = browser
        self.system = system
    }

    /// Reads the client hints (`Sec-CH-UA`, `Sec-CH-UA-Platform`) if they name something common, and otherwise the
    /// `User-Agent` (RFC 9110 clause 10.1.5).
    package init(_ fields: HTTPFields) {
        let agent = Self.beginning(fields["User-Agent"])
        self.init(
            browser: Self.name(in: Self.beginning(fields["Sec-CH-UA"]), Self.brands)
                ?? Self.name(in: agent, Self.browsers),
            system: Self.name(in: Self.beginning(fields["Sec-CH-UA-Platform"]), Self.platforms)
                ?? Self.name(in: agent, Self.systems))
    }

    /// Reads a `User-Agent` alone.
    package init(userAgent: String?) { self.init(userAgent.map { ["User-Agent": $0] } ?? [:]) }

    private static func beginning(_ field: String?) -> String {
        field.map { String(decoding: $0.utf8.prefix(limit), as: UTF8.self) } ?? ""
    }

    /// The name of the first mark that the text has.
    private static func name(in text: String, _ table: [(mark: String, name: String)]) -> String? {
        text.isEmpty ? nil : table.first { text.contains($0.mark) }?.name
    }

    /// A list of brands names the engine and an invented brand, too. So Chromium comes last.
    private static let brands = [
        (mark: #""Microsoft Edge""#, name: "Edge"), (#""Opera""#, "Opera"), (#""Brave""#, "Brave"),
        (#""Vivaldi""#, "Vivaldi"), (#""Samsung Internet""#, "Samsung Internet"), (#""Yandex""#, "Yandex Browser"),
        (#""YaBrowser""#, "Yandex Browser"), (#""DuckDuckGo""#, "DuckDuckGo"), (#""Google Chrome""#, "Chrome"),
        (#""Chromium""#, "Chromium"),
    ]

    /// Most browsers also name those that they resemble. So the more special ones come first.
    private static let browsers = [
        (mark: "Edg/", name: "Edge"), ("EdgA/", "Edge"), ("EdgiOS/", "Edge"), ("OPR/", "Opera"), ("OPT/", "Opera"),
        ("OPX/", "Opera"), ("SamsungBrowser/", "Samsung Internet"), ("YaBrowser/", "Yandex Browser"),
        ("Vivaldi/", "Vivaldi"), ("DuckDuckGo/", "DuckDuckGo"), ("Ddg/", "DuckDuckGo"), ("FxiOS/", "Firefox"),
        ("Focus/", "Firefox"), ("Firefox/", "Firefox"), ("CriOS/", "Chrome"), ("Chromium/", "Chromium"),
        ("Chrome/", "Chrome"), ("Safari/", "Safari"),
    ]

    private static let platforms = [
        (mark: #""Windows""#, name: "Windows"), (#""macOS""#, "macOS"), (#""Android""#, "Android"), (#""iOS""#, "iOS"),
        (#""Chrome OS""#, "ChromeOS"), (#""Chromium OS""#, "ChromeOS"), (#""Linux""#, "Linux"),
    ]

    /// Phones also name the systems that theirs come from.
    private static let systems = [
        (mark: "iPhone", name: "iOS"), ("iPad", "iPadOS"), ("Android", "Android"), ("CrOS", "ChromeOS"),
        ("Windows", "Windows"), ("Macintosh", "macOS"), ("FreeBSD", "FreeBSD"), ("OpenBSD", "OpenBSD"),
        ("Linux", "Linux"),
    ]
}
