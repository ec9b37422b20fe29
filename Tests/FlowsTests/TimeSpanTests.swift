import OAuthWire
import Testing

@testable import Flows

@Suite("A span of time as people say it")
struct TimeSpanTests {
    @Test(
        "It is rounded up, so that nobody comes too early",
        arguments: [
            (0, "1 second", "1 seconde"), (1, "1 second", "1 seconde"), (59, "59 seconds", "59 secondes"),
            (60, "1 minute", "1 minute"), (61, "2 minutes", "2 minutes"), (3541, "1 hour", "1 heure"),
            (3600, "1 hour", "1 heure"), (3601, "1 hour and 1 minute", "1 heure et 1 minute"),
            (9000, "2 hours and 30 minutes", "2 heures et 30 minutes"), (172_800, "2 days", "2 jours"),
            (604_800, "7 days", "7 jours"), (604_799, "7 days", "7 jours"),
        ])
    func text(seconds: Int, english: String, french: String) {
        let text = TimeSpan(seconds: seconds).text
        #expect(text[.english] == english && text[.french] == french)
    }
}
