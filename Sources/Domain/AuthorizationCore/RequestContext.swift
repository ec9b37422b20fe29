package import Primitives

/// Facts of one request that its flow needs beside the message: the tenant it was sent to, its time and its origin.
/// Endpoints make one for each request and pass it on.
package struct RequestContext: Sendable {
    /// Configuration of the tenant that the request was sent to, unchanged for as long as the request takes.
    package let configuration: TenantConfiguration
    /// Time at which the request arrived.
    package let now: Timestamp
    /// Address of the peer, or of the client that a trusted proxy names. Nil means none, as at the command line.
    package let remoteAddress: String?
    /// Values of the HTTP request that its audit entries repeat.
    package let trace: RequestTrace?

    package var tenant: Tenant { configuration.tenant }

    package init(
        configuration: TenantConfiguration, now: Timestamp, remoteAddress: String? = nil, trace: RequestTrace? = nil
    ) {
        self.configuration = configuration
        self.now = now
        self.remoteAddress = remoteAddress
        self.trace = trace
    }

    /// The same request at a later time, for a request that was held. A new configuration takes the place of its own.
    package func at(_ now: Timestamp, _ changed: TenantConfiguration? = nil) -> RequestContext {
        RequestContext(configuration: changed ?? configuration, now: now, remoteAddress: remoteAddress, trace: trace)
    }
}
