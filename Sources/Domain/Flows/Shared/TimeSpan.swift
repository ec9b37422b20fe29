import OAuthWire

/// A span of time in words, rounded up so that nobody returns too early.
struct TimeSpan {
    let seconds: Int

    var text: LocalizedText {
        if seconds < 60 { return Self.count(max(seconds, 1), "second", "seconde") }
        let minutes = (seconds + 59) / 60
        if minutes < 60 { return Self.count(minutes, "minute", "minute") }
        let hours = minutes / 60
        let rest = minutes % 60
        if hours >= 48 { return Self.count((hours * 60 + rest + 1439) / 1440, "day", "jour") }
        let whole = Self.count(hours, "hour", "heure")
        if rest == 0 { return whole }
        let part = Self.count(rest, "minute", "minute")
        return LocalizedText(
            en: "\(whole[.english]) and \(part[.english])", fr: "\(whole[.french]) et \(part[.french])")
    }

    private static func count(_ count: Int, _ english: String, _ french: String) -> LocalizedText {
        let plural = count == 1 ? "" : "s"
        return LocalizedText(en: "\(count) \(english)\(plural)", fr: "\(count) \(french)\(plural)")
    }
}
