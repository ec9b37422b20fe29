import GuardianWire
import Primitives
import Testing

@Suite("Preferences and lists of a person's phones")
struct PhonePreferencesTests {
    private func parsed(_ text: String) throws -> PhonePreferences {
        try PhonePreferences(parsing: Array(text.utf8))
    }

    @Test("Quiet hours survive writing and reading, also across midnight, and null ends them")
    func roundTrip() throws {
        for (from, to) in [(0, 1), (1320, 420), (1439, 0), (545, 600)] {
            let sent = PhonePreferences(quietHours: QuietHours(from: from, to: to))
            #expect(try PhonePreferences(parsing: sent.json) == sent)
        }
        let written = PhonePreferences(quietHours: QuietHours(from: 1320, to: 425)).json
        #expect(try JSONReader.parse(written) == ["quiet_hours": ["from": "22:00", "to": "07:05"]])
        #expect(String(decoding: PhonePreferences().json, as: UTF8.self) == #"{"quiet_hours":null}"#)
        #expect(try parsed(#"{"quiet_hours":null}"#) == PhonePreferences())
    }

    @Test(
        "A time is two digits of hours and two of minutes",
        arguments: ["24:00", "7:00", "07:60", "0700", "07:00:00", "+7:00", "٠٧:٠٠", " 7:00", "", "07-00"])
    func wrongTimes(time: String) {
        for hours in [#"{"from":"\#(time)","to":"08:00"}"#, #"{"from":"08:00","to":"\#(time)"}"#] {
            #expect(throws: GuardianWireFailure.self) { try parsed(#"{"quiet_hours":\#(hours)}"#) }
        }
    }

    @Test("Equal times, half of a time and a body without quiet_hours are refused by name")
    func refused() {
        for (body, text) in [
            (#"{"quiet_hours":{"from":"07:00","to":"07:00"}}"#, "quiet_hours.to must be another time than from"),
            (#"{"quiet_hours":{"from":"07:00"}}"#, "quiet_hours.to is required"),
            (#"{"quiet_hours":{"from":7,"to":"07:00"}}"#, "quiet_hours.from must be a string that is not empty"),
            (#"{"quiet_hours":"never"}"#, "quiet_hours must be an object"),
            (#"{"quiet_hour":null}"#, "quiet_hours is required"), ("[]", "the body must be an object"),
        ] {
            let failure = #expect(throws: GuardianWireFailure.self) { try parsed(body) }
            #expect(failure.map { "\($0)" } == text, "\(body)")
        }
        #expect(QuietHours(from: -1, to: 5) == nil)
        #expect(QuietHours(from: 0, to: 1440) == nil)
        #expect(QuietHours(from: 5, to: 5) == nil)
    }

    @Test("Quiet hours begin with their first minute and end before their last, also across midnight")
    func contains() throws {
        let day = try #require(QuietHours(from: 60, to: 120))
        #expect([59, 60, 119, 120].map(day.contains(minuteOfDay:)) == [false, true, true, false])
        let night = try #require(QuietHours(from: 1320, to: 420))
        #expect([1319, 1320, 0, 419, 420].map(night.contains(minuteOfDay:)) == [false, true, true, true, false])
    }

    @Test("Pending requests are the channel's notifications with the ids of their events")
    func pending() throws {
        var payload = NotificationPayload(
            title: "Shop", body: "Agent: Order", enrollmentID: "dev_a", transactionToken: "t",
            transactionLinkingID: "cns_a", challenge: "c", date: Timestamp(seconds: 1000), host: "id.example")
        payload.isUrgent = true
        let list = PendingRequestList([
            DeviceEvent(id: 3, content: .pending(transactionLinkingIDs: ["cns_a"])),
            DeviceEvent(id: 7, content: .notification(payload), record: "{}"),
            DeviceEvent(id: 8, content: .withdrawal(transactionLinkingID: "cns_b")),
        ])
        #expect(list.requests.map(\.sequence) == [7])
        #expect(try PendingRequestList(parsing: list.json) == list)
        let element = try #require(try JSONReader.parse(list.json)["requests"]?[0]?.objectValue)
        let event = try #require(try JSONReader.parse(payload.apns).objectValue)
        #expect(event.allSatisfy { element[$0.name] == $0.value })
        #expect(element["sequence"] == 7 && element["record"] == "{}")
        #expect(element["urgent"] == true)
        #expect(throws: GuardianWireFailure.self) { try PendingRequestList(parsing: Array(#"{"requests":[1]}"#.utf8)) }
        #expect(throws: GuardianWireFailure.self) { try PendingRequestList(parsing: Array(#"{"requests":{}}"#.utf8)) }
    }
}
