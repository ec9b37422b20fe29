import AuthorizationCore
import Flows
import GuardianWire
import HTTPModel
import OAuthWire
import Primitives
import Routing

/// Ways by which a phone comes to an account, and says that it left.
extension DeviceEndpoints {
    @Sendable func enrollmentCode(_ call: EndpointCall) async throws -> Response {
        .json(try await flows.devices.codes.issue(for: try ticket(call), context: call.context).json)
    }

    @Sendable func newPhoneTicket(_ call: EndpointCall) async throws -> Response {
        let device = try await owner(call)
        let request = try parsed(call, NewPhoneRequest.init(parsing:))
        let made = try await flows.devices.add.ticket(for: device, request, context: call.context)
        let link = made.ticket.link(toApprover: EndpointPath.approver.url(below: call.tenant.issuer))
        return .json(made.json(link: link, modules: qrCode(link) ?? []))
    }

    @Sendable func farewell(_ call: EndpointCall) async throws -> Response {
        guard let farewell = call.request.fields["Authorization"].flatMap(FarewellAuthorization.init(parsing:)) else {
            throw DeviceFailure(.invalidToken, "Send the farewell of the enrolment as Authorization: Farewell id=\"…\"")
        }
        let id = DeviceID(call.parameter("id"))
        try await flows.devices.lose.report(id, farewell, context: call.context)
        flows.channel.end(for: id)
        return Response(status: 204, fields: ["Cache-Control": "no-store"])
    }
}
