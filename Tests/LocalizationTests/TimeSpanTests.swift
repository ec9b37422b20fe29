import Localization
import Testing

@Suite("A span of time as people say it")
struct TimeSpanTests {
    @Test(
        "It is rounded up, so that nobody comes too early",
        arguments: [
            (0, "1 second", "1 seconde", "1 Sekunde"), (1, "1 second", "1 seconde", "1 Sekunde"),
            (59, "59 seconds", "59 secondes", "59 Sekunden"), (60, "1 minute", "1 minute", "1 Minute"),
            (61, "2 minutes", "2 minutes", "2 Minuten"), (3541, "1 hour", "1 heure", "1 Stunde"),
            (3600, "1 hour", "1 heure", "1 Stunde"),
            (3601, "1 hour and 1 minute", "1 heure et 1 minute", "1 Stunde und 1 Minute"),
            (9000, "2 hours and 30 minutes", "2 heures et 30 minutes", "2 Stunden und 30 Minuten"),
            (172_800, "2 days", "2 jours", "2 Tagen"), (604_800, "7 days", "7 jours", "7 Tagen"),
            (604_799, "7 days", "7 jours", "7 Tagen"),
        ])
    func text(seconds: Int, english: String, french: String, german: String) {
        let text = localized.failure.tooManyAttempts(seconds)
        #expect(text[.english].hasSuffix("Try again in \(english)."))
        #expect(text[.french].hasSuffix("Réessayez dans \(french)."))
        #expect(text[.german].hasSuffix("Versuchen Sie es in \(german) erneut."))
    }

    @Test("German names days in the case of their sentence")
    func days() {
        #expect(localized.approval.span(172_800)[.german] == "2 Tage")
        #expect(localized.approval.span(172_801)[.german] == "3 Tage")
    }
}
