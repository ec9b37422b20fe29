import Flows
import GuardianWire
import HTTPModel
import Routing

extension DeviceEndpoints {
    @Sendable func passkeyOptions(_ call: EndpointCall) async throws -> Response {
        let device = try await owner(call)
        return .json(try await flows.devices.passkeys.options(for: device, context: call.context).json)
    }

    @Sendable func registerPasskey(_ call: EndpointCall) async throws -> Response {
        let device = try await owner(call)
        let registration = try parsed(call, PasskeyRegistration.init(parsing:))
        try await flows.devices.passkeys.register(registration, of: device, context: call.context)
        return Response(status: 204, fields: ["Cache-Control": "no-store"])
    }
}
