import Primitives
import Testing

@Suite("Dates (RFC 3339)")
struct TimestampTests {
    @Test(
        "Known dates",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (4_107_542_399_000, "2100-02-28T23:59:59.000Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (-2_203_891_200_000, "1900-03-01T00:00:00.000Z"), (1_795_168_800_123, "2026-11-20T10:00:00.123Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"), (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
        ])
    func known(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).iso8601 == text)
        #expect(Timestamp(iso8601: text)?.milliseconds == milliseconds)
    }

    @Test("Every day of eight centuries survives writing and reading")
    func roundTrip() {
        var previous = ""
        for day in stride(from: -146_097 as Int64, to: 146_097, by: 1) {
            let text = Timestamp(seconds: day * 86_400).iso8601
            #expect(Timestamp(iso8601: text)?.seconds == day * 86_400 && text > previous)
            previous = text
        }
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let moment = Timestamp(
                milliseconds: .random(in: -62_167_219_200_000...253_402_300_799_999, using: &generator))
            #expect(Timestamp(iso8601: moment.iso8601) == moment)
        }
    }

    @Test(
        "RFC 3339 5.6: offsets, decimals and spellings",
        arguments: [
            ("2026-11-20T10:00:00Z", 0), ("2026-11-20t10:00:00z", 0), ("2026-11-20 10:00:00Z", 0),
            ("2026-11-20T10:00:00.5Z", 500), ("2026-11-20T10:00:00.123456789Z", 123), ("2026-11-20T10:00:00+00:00", 0),
            ("2026-11-20T11:30:00+01:30", 0), ("2026-11-20T09:00:00-0100", 0), ("2026-11-21T00:00:00+1400", 0),
            ("2026-11-20T10:00:00.0009Z", 0), ("2026-11-20T09:59:60Z", 0),
        ])
    func offsets(text: String, milliseconds: Int64) {
        #expect(Timestamp(iso8601: text)?.milliseconds == 1_795_168_800_000 + milliseconds)
    }

    @Test(
        "Texts that are not a date-time are refused",
        arguments: [
            "", "2026-11-20", "2026-11-20T10:00Z", "2026-11-20T10:00:00", "2026-11-20T10:00:00.Z",
            "2026-02-29T00:00:00Z",
            "2100-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z",
            "2026-04-31T00:00:00Z", "2026-11-20T24:00:00Z", "2026-11-20T10:60:00Z", "2026-11-20T10:00:61Z",
            "2026-11-20T10:00:00Zx", " 2026-11-20T10:00:00Z", "2026-11-20T10:00:00+24:00", "2026-11-20T10:00:00+1",
            "26-11-20T10:00:00Z", "+026-11-20T10:00:00Z", "2026-11-20T10:00:00,5Z", "\u{0662}026-11-20T10:00:00Z",
        ])
    func refused(text: String) { #expect(Timestamp(iso8601: text) == nil) }

    @Test("RFC 7519 2: whole seconds round down, also before 1970")
    func seconds() {
        #expect(Timestamp(milliseconds: 1999).seconds == 1)
        #expect(Timestamp(milliseconds: -1).seconds == -1)
        #expect(Timestamp(milliseconds: -1000).seconds == -1)
        #expect(Timestamp(seconds: 5) - Timestamp(seconds: 3) == .seconds(2))
        #expect(Timestamp(seconds: 5) + .milliseconds(-1500) == Timestamp(milliseconds: 3500))
    }

    @Test("Values beyond the range are clamped")
    func saturation() {
        let moment = Timestamp(seconds: 1_800_000_000)
        #expect(moment + .seconds(Int64.max) == Timestamp(milliseconds: .max))
        #expect(moment - .seconds(Int64.max) == Timestamp(milliseconds: .min + moment.milliseconds + 1))
        #expect(Timestamp(seconds: .min) - .seconds(1) == Timestamp(milliseconds: .min))
        #expect(Timestamp(seconds: .max) + .milliseconds(-1) == Timestamp(milliseconds: .max - 1))
        #expect(Timestamp(milliseconds: .max) - Timestamp(milliseconds: -1) == .milliseconds(Int64.max))
        #expect(Duration.seconds(Int64.min).milliseconds == .min)
    }
}
