import ApprovalWire
import Flows
import GuardianWire
import HTTPModel
import Primitives
import Routing

/// Everything that a phone shows of its person: requests, decisions, phones and preferences.
extension DeviceEndpoints {
    @Sendable func pending(_ call: EndpointCall) async throws -> Response {
        let authenticated = try await owner(call)
        let events = try await flows.backchannel.pending.events(
            for: authenticated.device, after: 0, withRecords: asksForRecords(call), context: call.context)
        return .json(PendingRequestList(events).json)
    }

    @Sendable func requests(_ call: EndpointCall) async throws -> Response {
        let authenticated = try await owner(call)
        let query: FormFields
        do { query = try FormFields(parsing: Array((call.request.query ?? "").utf8)) } catch {
            throw DeviceFailure.invalidBody("the query must have each parameter once, percent-encoded")
        }
        let count = query["limit"].map { Int($0) } ?? DecisionHistory.defaultPage
        guard let count, DecisionHistory.pageRange.contains(count) else {
            throw DeviceFailure.invalidBody(
                "limit must be \(DecisionHistory.pageRange.lowerBound) to \(DecisionHistory.pageRange.upperBound)")
        }
        var before: Int64?
        if let cursor = query["before"] {
            guard let number = DecisionHistory.number(ofCursor: cursor) else {
                throw DeviceFailure.invalidBody("before must be the value of next in an earlier answer")
            }
            before = number
        }
        let unanswered = query["unanswered"].map { Bool($0) } ?? false
        guard let unanswered else { throw DeviceFailure.invalidBody("unanswered must be true or false") }
        let page = try await flows.devices.history.page(
            of: authenticated, before: before, unanswered: unanswered, count: count, context: call.context)
        return .json(page.json)
    }

    @Sendable func devices(_ call: EndpointCall) async throws -> Response {
        .json(try await flows.devices.manage.devices(try await owner(call)).json)
    }

    @Sendable func preferences(_ call: EndpointCall) async throws -> Response {
        .json(try await flows.devices.preferences.preferences(try await owner(call)).json)
    }

    @Sendable func replacePreferences(_ call: EndpointCall) async throws -> Response {
        let authenticated = try await owner(call)
        let preferences = try parsed(call, PhonePreferences.init(parsing:))
        try await flows.devices.preferences.replace(with: preferences, by: authenticated, context: call.context)
        return .json(preferences.json)
    }

    /// The device that the path names. It authenticated for its person by its key.
    func owner(_ call: EndpointCall) async throws -> AuthenticatedDevice {
        let device = try await named(call)
        guard device.provedKey else { throw DeviceFailure.needsKey }
        return device
    }
}
