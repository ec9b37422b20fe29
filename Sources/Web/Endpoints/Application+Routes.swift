import APIDescription
import Approver
import AuthorizationCore
import Flows
import GuardianWire
import HTTPModel
import ManagementAPI
import OAuthWire
import Primitives
import Routing

extension Application {
    /// Paths of devices, whose errors have Guardian's form even if there is no route.
    static let deviceAreas = [AppliancePath.base, "/api/", AppliancePath.richConsents].map {
        Router.Area($0, .device(scheme: TokenType.bearer.rawValue))
    }

    /// Every path of the server, in the order of the OpenAPI document.
    static func routes(
        _ oauth: OAuthEndpoints, _ pages: HostedPages, timer: any Timer, proxySettings: ProxySettings,
        management: ManagementAPI, later: @escaping @Sendable (RequestContext) -> RequestContext?,
        isReady: @escaping @Sendable () async -> Bool
    ) -> [Route] {
        let (flows, hosted) = (oauth.flows, pages.hosted)
        let certificatesCome = proxySettings.mtlsPort != nil || proxySettings.proxies.haveCertificates
        let metadata = MetadataEndpoints(
            mtlsPort: proxySettings.mtlsPort, certificatesCome: certificatesCome,
            methods: flows.tokens.authenticator.methods(certificatesCome: certificatesCome))
        let devices = DeviceEndpoints(flows: flows, timer: timer, qrCode: hosted.qrCode)
        let routes =
            oauth.routes + ReceiptEndpoint(flows: flows, clients: oauth).routes
            + UserInfoEndpoint(flow: flows.tokens.userInfo).routes + metadata.routes
            + AppAssociationEndpoints(metadata: metadata, hosted: hosted).routes
            + ApproverEndpoints(app: ApproverApp(hashing: flows.hashing), metadata: metadata).routes
            + devices.routes + pages.routes + DashboardEndpoints(pages: pages, management: management).routes
            + RequestEvents(pages: pages, management: management, timer: timer, later: later).routes
            + probes(isReady) + management.routes
        let description = OpenAPIDocument(
            operations: routes.flatMap(\.placedOperations),
            components: ProtocolComponents.all + ManagementAPI.components)
        return routes + [metadata.openAPIRoute(description)]
    }

    /// Paths for load balancers and supervisors.
    private static func probes(_ isReady: @escaping @Sendable () async -> Bool) -> [Route] {
        @Sendable func status(_ text: String, _ status: Int = 200) -> Response {
            .json(JSONWriter.bytes(["status": .string(text)]), status: status)
        }
        return [
            Route(probe: EndpointPath.health, .health) { _ in status("ok") },
            Route(probe: EndpointPath.readiness, .readiness) { _ in
                await isReady() ? status("ready") : status("unavailable", 503)
            },
        ]
    }
}
