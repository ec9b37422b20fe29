import Primitives

/// Preferences of a person for all of their phones (`api/device-accounts/{id}/preferences`).
package struct PhonePreferences: Sendable, Equatable {
    /// Nil means that phones make a sound at any time.
    package var quietHours: QuietHours?

    package init(quietHours: QuietHours? = nil) { self.quietHours = quietHours }

    package init(parsing body: [UInt8]) throws(GuardianWireFailure) {
        let members = try Members(parsing: body)
        // Must be there: a body that misspells the name must not end the quiet hours.
        guard members.object["quiet_hours"] != nil else { throw .missing("quiet_hours") }
        guard let hours = try members.optionalMembers("quiet_hours") else { return }
        func minutes(_ name: String) throws(GuardianWireFailure) -> Int {
            guard let minutes = QuietHours.minutes(try hours.string(name)) else {
                throw .invalid(hours.name(name), expected: "a time from 00:00 to 23:59")
            }
            return minutes
        }
        guard let quietHours = QuietHours(from: try minutes("from"), to: try minutes("to")) else {
            throw .invalid(hours.name("to"), expected: "another time than from")
        }
        self.quietHours = quietHours
    }

    package var json: [UInt8] {
        JSONWriter.object { writer in
            guard let quietHours else {
                writer.member("quiet_hours", JSONValue.null)
                return
            }
            writer.member("quiet_hours") { writer in
                writer.member("from", QuietHours.text(quietHours.from))
                writer.member("to", QuietHours.text(quietHours.to))
            }
        }
    }
}
