import AuthorizationCore
import Flows
import GuardianWire
import HTTPModel
import Primitives

/// What phones call: Guardian's appliance protocol, the consent API and the device channel.
struct DeviceEndpoints: Sendable {
    let flows: Application.Flows
    let timer: any Timer

    @Sendable func enroll(_ context: EndpointCall) async throws -> Response {
        guard let header = context.request.fields["Authorization"],
            let ticket = EnrollmentTicketAuthorization(parsing: header)
        else {
            throw DeviceFailure(
                401, .invalidToken, "Send the enrolment ticket as Authorization: Ticket id=\"…\"")
        }
        let request = try parsed(context, EnrollmentRequest.init(parsing:))
        let response = try await flows.enroll.enroll(
            request, ticket: ticket, tenant: context.tenant, remoteAddress: context.request.remoteAddress,
            now: context.now)
        return .json(response.json)
    }

    @Sendable func resolve(_ context: EndpointCall) async throws -> Response {
        let token = try bearer(context)
        let body = try parsed(context, ResolveTransactionRequest.init(parsing:))
        try await flows.resolve.resolve(
            transactionToken: token, body: body, tenant: context.tenant,
            remoteAddress: context.request.remoteAddress, now: context.now)
        return Response(status: 204, fields: ["Cache-Control": "no-store"])
    }

    @Sendable func consent(_ context: EndpointCall) async throws -> Response {
        guard let token = context.request.authorization(scheme: DPoPProof.scheme) else {
            throw DeviceFailure(
                401, .invalidToken, "Send the transaction token as Authorization: \(DPoPProof.scheme) …")
        }
        let proofs = context.request.fields.values(of: DPoPProof.scheme)
        guard proofs.count == 1 else {
            throw DeviceFailure(403, .invalidDPoPAssertion, "Send exactly one \(DPoPProof.scheme) proof header")
        }
        let record = try await flows.consent.fetch(
            ConsentID(context.pathParameter), transactionToken: token, proof: proofs[0],
            configuration: context.configuration, remoteAddress: context.request.remoteAddress, now: context.now)
        return .json(record.json)
    }

    @Sendable func update(_ context: EndpointCall) async throws -> Response {
        let device = try await authenticated(context, at: .deviceAccounts, as: DeviceID(context.pathParameter))
        let update = try parsed(context, DeviceAccountUpdate.init(parsing:))
        let changed = try await flows.manage.update(
            device, with: update, remoteAddress: context.request.remoteAddress, now: context.now)
        return .json(
            DeviceAccountUpdate(
                id: changed.id.rawValue, identifier: changed.identifier, name: changed.name,
                pushCredentials: changed.push
            ).json)
    }

    @Sendable func remove(_ context: EndpointCall) async throws -> Response {
        let device = try await authenticated(context, at: .deviceAccounts, as: DeviceID(context.pathParameter))
        try await flows.manage.remove(device, remoteAddress: context.request.remoteAddress, now: context.now)
        flows.events.end(for: device.device.id)
        return Response(status: 204, fields: ["Cache-Control": "no-store"])
    }

    /// Server-Sent Events (HTML Standard 9.2). First what is pending, with the notifications after `Last-Event-ID`, then
    /// what happens.
    @Sendable func notifications(_ context: EndpointCall) async throws -> Response {
        let authenticated = try await authenticated(context, at: .notifications, as: nil)
        let device = authenticated.device
        let last = context.request.fields["Last-Event-ID"].flatMap { Int64($0) } ?? 0
        let after = try await flows.pending.resumption(after: last)
        // Subscribed before the store is read, so that nothing falls between.
        let live = flows.events.events(for: device.id)
        let pending = try await flows.pending.events(
            for: device, after: after, configuration: context.configuration, now: context.now)
        let stream = DeviceEventStream(pending: pending, live: live, after: after, timer: timer) { [flows] in
            try await flows.devices.isAdmitted(authenticated)
        }
        return Response(
            status: 200,
            fields: ["Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no"],
            body: .stream(stream.bytes))
    }

    private func parsed<Message>(
        _ context: EndpointCall, _ parse: ([UInt8]) throws(GuardianWireFailure) -> Message
    ) throws(DeviceFailure) -> Message {
        guard context.request.fields.mediaType == "application/json" else {
            throw DeviceFailure(400, .invalidBody, "Send the body as application/json")
        }
        do { return try parse(context.request.body) } catch {
            throw DeviceFailure(400, .invalidBody, "Payload validation error: \(error)")
        }
    }

    private func bearer(_ context: EndpointCall) throws(DeviceFailure) -> String {
        guard let token = context.request.authorization(scheme: "Bearer") else {
            throw DeviceFailure(401, .invalidToken, "Send the token as Authorization: Bearer …")
        }
        return token
    }

    private func authenticated(
        _ context: EndpointCall, at resource: DeviceAuthenticator.Resource, as id: DeviceID?
    ) async throws -> AuthenticatedDevice {
        try await flows.devices.authenticate(
            bearer: try bearer(context), as: id, at: resource, tenant: context.tenant, now: context.now)
    }
}
