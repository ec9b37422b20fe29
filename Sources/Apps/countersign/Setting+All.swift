import AuthorizationCore
import CountersignServer
import Delivery
import Flows
import MicroHTTPServer
import Routing
import Terminal

extension Setting {
    struct Group: Sendable {
        let heading: String
        let settings: [Setting]

        var options: OptionGroup { OptionGroup(heading, settings.map(\.declaration)) }
    }

    static var all: [Setting] { groups.flatMap(\.settings) }

    /// Settings of the data folder, which commands need too.
    static let storage = Group(
        heading: "Data",
        settings: [
            Setting(
                "data", .path("FOLDER", "a folder"), \.settings.dataFolder,
                "Folder of the database file, the master key and the local authority. serve creates it if it does not exist."
            ),
            Setting(
                "store", .store, \.settings.store,
                "The database: a file in the data folder, or a database of PostgreSQL 14 or newer, which several nodes share. "
                    + "Its certificate is verified, unless it is on this machine or the address says otherwise (sslmode)."
            ),
            Setting(
                "master-key-file", .path("FILE", "a file of mode 0600"), unset: "master.key in the data folder",
                \.settings.masterKeyFile,
                "File with the key that seals everything at rest. The environment variable \(masterKeyVariable) can "
                    + "contain the key itself instead."),
        ])

    /// Settings of connections to other servers.
    static let outgoing = Group(
        heading: "Outgoing connections",
        settings: [
            Setting(
                "trusted-authorities", .path("FILE", "a PEM file"), unset: "those of the system",
                \.settings.trustedAuthorities,
                "Authorities trusted for outgoing connections: to upstream providers, mail servers, push services, and "
                    + "clients' logout URLs."),
            Setting(
                "outgoing-networks", .networks, unset: "none, and 127.0.0.0/8,::1 for a development tenant",
                \.settings.outgoingNetworks,
                "Private networks that the server may contact for tenants and browsers: a client's jwks_uri or logout URL, "
                    + "an upstream provider, an old server, a tenant's mail server, or a push service or a gateway to it. "
                    + "Plain HTTP is allowed only there. Connections to other addresses that are not public are refused."
            ),
            Setting(
                "apns-url", .secureURL, \.settings.pushAddresses.apple,
                "Apple's push service for apps of the App Store, or a gateway to it."),
            Setting(
                "apns-sandbox-url", .secureURL, \.settings.pushAddresses.appleSandbox,
                "Apple's push service for apps built for development, or a gateway to it."),
            Setting(
                "apns-connections", .integer(1...10_000, "connections"), \.settings.appleConnections,
                "Maximum number of open connections to Apple's push service. Each key and each certificate of a tenant "
                    + "needs one with a thread; one that was not used for an hour is closed for the next."),
            Setting(
                "fcm-url", .secureURL, \.settings.pushAddresses.google, "Firebase Cloud Messaging, or a gateway to it."),
            Setting(
                "google-token-url", .secureURL, \.settings.pushAddresses.googleTokens,
                "Google's token endpoint, or a gateway to it."),
            Setting(
                "sns-url", .secureURL, unset: "that of each tenant's region", \.settings.pushAddresses.amazon,
                "Amazon's notification service, or a gateway to it, for the tenants of all regions."),
        ])

    private static func ceiling(_ setting: String) -> String {
        "Largest \(setting) that the Management API may set for a tenant. apply and countersign tenant may set more."
    }

    static let groups = [
        storage,
        Group(
            heading: "Listening",
            settings: [
                Setting("address", .address, \.settings.address, "Address to listen on."),
                Setting("port", .port, \.settings.port, "TCP port to listen on."),
                Setting(
                    "tls", .choice, \.tls,
                    "local creates a certificate authority in the data folder, files uses the operator's certificate, "
                        + "and off serves plain HTTP on a loopback address, for a proxy on the same machine."),
                Setting(
                    "tls-certificate", .path("FILE", "a PEM file"), unset: "none", \.tlsCertificate,
                    "Certificate and its intermediates, for tls files."),
                Setting(
                    "tls-key", .path("FILE", "a PEM file"), unset: "none", \.tlsKey,
                    "Unencrypted key of the certificate, for tls files."),
                Setting(
                    "hsts-max-age", .duration(.zero ... .seconds(63_072_000)),
                    unset: "365d with tls files, 0s otherwise", \.settings.hstsMaxAge,
                    "max-age of the Strict-Transport-Security field (RFC 6797), which makes browsers use TLS and "
                        + "refuse a wrong certificate. 0s sends no field. The field is never sent for localhost and "
                        + "IP addresses. With tls off, set it only if the proxy does not send the field itself."),
                Setting(
                    "mtls-port", .portOrNone, \.settings.mtlsPort,
                    "Second port, which asks clients for certificates (RFC 8705). Its addresses are published as "
                        + "mtls_endpoint_aliases. Browsers do not use it."),
                Setting(
                    "mtls-ca", .path("FILE", "a PEM file"), unset: "none", \.settings.clientAuthorities,
                    "Authorities that issue certificates to clients with tls_client_auth."),
                Setting(
                    "certificate-proxies", .networks, \.settings.certificateProxies,
                    "Proxies that terminate TLS and forward the client's certificate in Client-Cert (RFC 9440). The "
                        + "field is ignored from all other addresses."),
                Setting(
                    "client-address-proxies", .networks, \.settings.clientAddressProxies,
                    "Proxies that forward the client's address in the field that client-address-field names. The "
                        + "field is ignored from all other addresses. Proxies must append to the field of a client or "
                        + "replace it."),
                Setting(
                    "client-address-field", .choice, \.settings.clientAddressField,
                    "Field in which client-address-proxies forward addresses: X-Forwarded-For, or Forwarded (RFC "
                        + "7239). The other field is never read."),
                Setting(
                    "geoip-database", .path("FILE", "a database in MaxMind's format"), unset: "none",
                    \.settings.geoIPDatabase,
                    "Places of addresses, for requests that ask a person to confirm a login: a database with cities "
                        + "or countries, such as GeoLite2 City. Replace it by a rename, as geoipupdate does; the new one "
                        + "is used at once. Without it, the requests name the address alone."),
                Setting(
                    "metrics-port", .portOrNone, \.settings.metricsPort,
                    "Port of /metrics for Prometheus, over plain HTTP."),
                Setting(
                    "metrics-address", .address, \.settings.metricsAddress,
                    "Address of /metrics, which everybody who can connect may read. Choose one that only Prometheus "
                        + "can reach."),
                Setting(
                    "threads", .integer(1...256, "threads"), unset: "one a processor", \.settings.threads,
                    "Number of threads that read and answer requests."),
                Setting(
                    "stop-limit", .duration(.zero ... .seconds(10)), \.settings.stopLimit,
                    "Maximum time for running requests when the server stops."),
            ]),
        outgoing,
        Group(
            heading: "Mail",
            settings: [
                Setting(
                    "smtp-url", .url("smtp://HOST[:PORT] or smtps://HOST[:PORT]"), unset: "none", \.smtpURL,
                    "Mail server. With smtp it must support STARTTLS, which is optional only on this machine. Without a mail "
                        + "server, mails wait until they expire."),
                Setting(
                    "smtp-user", .text("USER", "a text"), unset: "none", \.smtpUser, "User name for the mail server."),
                Setting(
                    "smtp-password-file", .path("FILE", "a file of mode 0600"), unset: "none", \.smtpPasswordFile,
                    "File with the password for the mail server. The environment variable \(smtpPasswordVariable) can "
                        + "contain the password itself instead."),
                Setting(
                    "mail-from", .text("ADDRESS", "a mail address"), unset: "none", \.mailFrom,
                    "Sender of every mail. Required with smtp-url."),
                Setting(
                    "mail-folder", .path("FOLDER", "a folder"),
                    unset: "mail in the data folder of a development server without smtp-url", \.mailFolder,
                    "Folder to which mails are written as files of mode 0600 instead of being sent, for development."),
                Setting(
                    "mails-per-hour-per-tenant", .integer(1...1_000_000, "mails"), \.settings.mailLimits.perTenant,
                    "Maximum mails of a tenant within an hour by this mail server. Further ones wait. A tenant with a mail "
                        + "server of its own has no such limit."),
                Setting(
                    "mails-per-hour-per-mailbox", .integer(1...1_000_000, "mails"), \.settings.mailLimits.perMailbox,
                    "Maximum mails of a tenant to one mailbox within an hour by this mail server. Further ones wait."),
            ]),
        Group(
            heading: "Limits",
            settings: [
                Setting(
                    "max-head-bytes", .integer(1_024...262_144, "bytes"), \.settings.limits.headBytes,
                    "Maximum size of a request's head, from the method to the blank line. Larger ones get 431."),
                Setting(
                    "max-target-bytes", .integer(256...65_536, "bytes"), \.settings.limits.targetBytes,
                    "Maximum length of a request's target. Longer ones get 414."),
                Setting(
                    "max-body-bytes", .integer(1_024...67_108_864, "bytes"), \.settings.limits.bodyBytes,
                    "Maximum size of a request's body in the Management API with a valid access token for it. Other "
                        + "bodies may have at most 65536 bytes. Larger ones get 413."),
                Setting(
                    "max-body-bytes-in-all", .integer(0...68_719_476_736, "bytes"), \.settings.limits.bodyBytesInAll,
                    "Maximum memory for all incomplete or unanswered bodies together, over all connections of a port. "
                        + "The first 8192 bytes of each body do not count. A body without room gets 503 and is "
                        + "counted in countersign_http_bodies_refused_total."),
                Setting(
                    "max-wait", .duration(.milliseconds(10) ... .seconds(60)), \.settings.admission.wait,
                    "Maximum time that a request may lie unread because the server has too much to do. Later ones get 503. "
                        + "Requests that begin something get a quarter of it."),
                Setting(
                    "max-queued-work", .integer(1...10_000, "reads and changes"), \.settings.admission.queuedWork,
                    "Maximum work that may wait for the database. Requests beyond it get 503. Requests that begin "
                        + "something get a quarter of it."),
                Setting(
                    "max-connections", .integer(1...1_000_000, "connections"), \.settings.limits.connections,
                    "Maximum number of open connections. Further ones are closed at once. The last eighth is for addresses "
                        + "with few connections, and makes idle ones of the others end."),
                Setting(
                    "max-connections-per-address", .integer(1...1_000_000, "connections"),
                    \.settings.limits.connectionsPerAddress,
                    "Maximum number of open connections from one address (IPv6: one /64 network). Further ones are "
                        + "closed at once. Connections of client-address-proxies and certificate-proxies do not count."),
                Setting(
                    "idle-timeout", .duration(.seconds(1) ... .seconds(3_600)), \.settings.limits.idleTimeout,
                    "Maximum time that a connection may be silent between requests, or read nothing of a response."),
                Setting(
                    "head-timeout", .duration(.milliseconds(10) ... .seconds(3_600)), \.settings.limits.headDeadline,
                    "Maximum time from a new connection to its first complete head, including the TLS handshake."),
                Setting(
                    "body-timeout", .duration(.milliseconds(10) ... .seconds(3_600)), \.settings.limits.bodyDeadline,
                    "Maximum time for receiving a body."),
                Setting(
                    "exchange-timeout", .duration(.milliseconds(10) ... .seconds(3_600)),
                    \.settings.limits.exchangeDeadline,
                    "Maximum time that a request may be held, and maximum time for sending its response. Below 300s, "
                        + "tenants cannot hold token requests for as long as they may configure. The page that waits "
                        + "for a phone is held for four fifths of this time, but at most 50s."),
                Setting(
                    "stream-buffer-bytes", .integer(1_024...67_108_864, "bytes"), \.settings.limits.streamBufferBytes,
                    "Maximum buffer for a device that does not read its channel. A device that falls further behind "
                        + "is disconnected."),
                Setting(
                    "details-check-steps", .integer(10_000...1_000_000_000, "steps"), \.settings.detailsCheckSteps,
                    "Maximum cost of checking the authorization_details of one request against the API's schemas. "
                        + "More expensive requests are refused. A step is one instruction of a pattern for one byte "
                        + "of text, under 10 nanoseconds."),
                Setting(
                    "retention", .duration(.zero ... .seconds(2_592_000)), \.settings.retention,
                    "Time that an expired request is kept, so that late polls get an accurate error."),
            ]),
        // A tenant's administrators may lower these settings of the tenant, and raise them to here.
        Group(
            heading: "Ceilings of tenants' settings",
            settings: [
                Setting(
                    "tenant-pending-requests", .integer(1...1_000_000_000, "requests"),
                    \.settings.tenantCeilings.pendingRequests, ceiling("pending_requests")),
                Setting(
                    "tenant-approval-retention",
                    .integer(TenantSettings.approvalRetentionRange, "seconds"),
                    \.settings.tenantCeilings.approvalRetention, ceiling("approval_retention")),
                Setting(
                    "tenant-logins-per-minute-per-address", .integer(1...1_000_000, "logins"),
                    \.settings.tenantCeilings.loginsPerMinutePerAddress, ceiling("logins_per_minute_per_address")),
                Setting(
                    "tenant-actions-per-minute", .integer(1...1_000_000, "actions"),
                    \.settings.tenantCeilings.actionsPerMinute, ceiling("actions_per_minute")),
                Setting(
                    "tenant-client-tokens-per-minute", .integer(1...1_000_000, "tokens"),
                    \.settings.tenantCeilings.clientTokensPerMinute, ceiling("client_tokens_per_minute")),
                Setting(
                    "tenant-management-requests-per-minute", .integer(1...1_000_000, "requests"),
                    \.settings.tenantCeilings.managementRequestsPerMinute, ceiling("management_requests_per_minute")),
            ]),
        Group(
            heading: "Log",
            settings: [
                Setting("log-format", .choice, \.settings.logFormat, "Text for people, or one JSON object per line."),
                Setting("log-level", .choice, \.settings.logLevel, "Least important level to log."),
                Setting("log-requests", .onOff, \.settings.logsRequests, "Log a line for every request."),
            ]),
        Group(
            heading: "Traces",
            settings: [
                Setting(
                    "trace-endpoint", .anyURL, unset: "none", \.settings.traceEndpoint,
                    "Collector that takes OpenTelemetry's traces over HTTP (OTLP), such as http://127.0.0.1:4318. "
                        + "/v1/traces is appended. It may have any address. Nothing is recorded without it."),
                Setting(
                    "trace-ratio", .share, \.settings.traceRatio,
                    "Share of the traces begun here that are recorded. A request that names its trace (traceparent) is "
                        + "recorded if its sender recorded it."),
            ]),
        Group(
            heading: "Development",
            settings: [
                Setting(
                    "development", .onOff, \.settings.development,
                    "Create a development tenant in an empty database, on a loopback address or with development-host "
                        + "only."),
                Setting(
                    "development-host", .text("NAME", "a host name or an IPv4 address"), unset: "localhost",
                    \.settings.developmentHost,
                    "Name under which phones in the network reach the development tenant, with an address such as "
                        + "0.0.0.0. The phones must trust tls/ca.pem of the data folder."),
            ]),
    ]
}
