import CountersignServer
import MicroHTTPServer
import Terminal

extension Setting {
    struct Group: Sendable {
        let heading: String
        let settings: [Setting]

        var options: OptionGroup { OptionGroup(heading, settings.map(\.declaration)) }
    }

    static var all: [Setting] { groups.flatMap(\.settings) }

    /// Where the data folder is: what commands beside a server need, too.
    static let storage = Group(
        heading: "Data",
        settings: [
            Setting(
                "data", .path("FOLDER", "a folder"), \.settings.dataFolder,
                "Holds the database, the master key and the local authority; made where it is missing."),
            Setting(
                "master-key-file", .path("FILE", "a file of mode 0600"), unset: "master.key in the data folder",
                \.settings.masterKeyFile,
                "Holds the key under which everything at rest is sealed. The environment variable "
                    + "\(masterKeyVariable) gives the key itself instead."),
        ])

    static let groups = [
        storage,
        Group(
            heading: "Listening",
            settings: [
                Setting("address", .address, \.settings.address, "Where to listen."),
                Setting("port", .port, \.settings.port, "The TCP port."),
                Setting(
                    "tls", .choice, \.tls,
                    "Takes the certificate from a local authority that is made in the data folder, or from files; "
                        + "off serves plain HTTP, on a loopback address only, for a proxy on the same machine."),
                Setting(
                    "tls-certificate", .path("FILE", "a PEM file"), unset: "none", \.tlsCertificate,
                    "The certificate and its intermediates, for tls files."),
                Setting(
                    "tls-key", .path("FILE", "a PEM file"), unset: "none", \.tlsKey,
                    "The certificate's unencrypted key, for tls files."),
                Setting(
                    "hsts-max-age", .duration(.zero ... .seconds(63_072_000)),
                    unset: "365d with tls files, 0s otherwise", \.settings.hstsMaxAge,
                    "How long browsers are to come by TLS alone and never past a wrong certificate "
                        + "(Strict-Transport-Security, RFC 6797); 0s says nothing to them. Never said of localhost and "
                        + "of addresses. With tls off it is for a proxy that says nothing itself."),
                Setting(
                    "mtls-port", .portOrNone, \.settings.mtlsPort,
                    "A second port, which asks clients for certificates (RFC 8705); its addresses are published as "
                        + "mtls_endpoint_aliases. Browsers are never sent there."),
                Setting(
                    "mtls-ca", .path("FILE", "a PEM file"), unset: "none", \.settings.clientAuthorities,
                    "The authorities that vouch for clients of tls_client_auth."),
                Setting(
                    "certificate-proxies", .networks, \.settings.certificateProxies,
                    "Proxies that end TLS and say in Client-Cert (RFC 9440) which certificate their client has; from "
                        + "all others the field is ignored."),
                Setting(
                    "client-address-proxies", .networks, \.settings.clientAddressProxies,
                    "Proxies that say in the field of client-address-field from which address a request came to them; "
                        + "from all others the field is ignored. They must append to what clients put there, or "
                        + "replace it."),
                Setting(
                    "client-address-field", .choice, \.settings.clientAddressField,
                    "The field that client-address-proxies write: X-Forwarded-For, or Forwarded (RFC 7239). The other "
                        + "one is never read."),
                Setting(
                    "trusted-authorities", .path("FILE", "a PEM file"), unset: "those of the system",
                    \.settings.trustedAuthorities,
                    "The authorities by which other servers are trusted: upstream providers, the mail server, and "
                        + "clients that are told of logouts."),
                Setting(
                    "outgoing-networks", .networks, unset: "none, and 127.0.0.0/8,::1 for a development tenant",
                    \.settings.outgoingNetworks,
                    "Networks that this server asks beside the public Internet because a tenant's configuration says so: "
                        + "at clients' jwks_uri and logout URLs and at upstream providers. Only there it asks without "
                        + "TLS. Everything else that is not public is refused when the connection is opened."),
                Setting(
                    "metrics-port", .portOrNone, \.settings.metricsPort,
                    "Where /metrics is served for Prometheus, over plain HTTP."),
                Setting(
                    "metrics-address", .address, \.settings.metricsAddress,
                    "The address of /metrics, which answers everybody who can connect: one that only Prometheus "
                        + "reaches."),
                Setting(
                    "threads", .integer(1...256, "threads"), unset: "one a processor", \.settings.threads,
                    "Threads that read and answer requests."),
                Setting(
                    "stop-limit", .duration(.zero ... .seconds(10)), \.settings.stopLimit,
                    "How long running requests may take when the server stops."),
            ]),
        Group(
            heading: "Mail",
            settings: [
                Setting(
                    "smtp-url", .url("smtp://HOST[:PORT] or smtps://HOST[:PORT]"), unset: "none", \.smtpURL,
                    "The mail server. With smtp it must speak STARTTLS, unless it is on this machine. Without one mails "
                        + "wait until they are of no use."),
                Setting(
                    "smtp-user", .text("USER", "a text"), unset: "none", \.smtpUser,
                    "Whom to log in as at the mail server."),
                Setting(
                    "smtp-password-file", .path("FILE", "a file of mode 0600"), unset: "none", \.smtpPasswordFile,
                    "Holds the password at the mail server. The environment variable \(smtpPasswordVariable) gives the "
                        + "password itself instead."),
                Setting(
                    "mail-from", .text("ADDRESS", "a mail address"), unset: "none", \.mailFrom,
                    "The sender of every mail; needed with smtp-url."),
                Setting(
                    "mail-folder", .path("FOLDER", "a folder"),
                    unset: "mail in the data folder of a development server without smtp-url", \.mailFolder,
                    "Writes mails into files of mode 0600 instead of sending them, for development."),
            ]),
        Group(
            heading: "Limits",
            settings: [
                Setting(
                    "max-head-bytes", .integer(1_024...262_144, "bytes"), \.settings.limits.headBytes,
                    "A request's head, from the method to the blank line; more is answered 431."),
                Setting(
                    "max-target-bytes", .integer(256...65_536, "bytes"), \.settings.limits.targetBytes,
                    "A request's target; more is answered 414."),
                Setting(
                    "max-body-bytes", .integer(1_024...67_108_864, "bytes"), \.settings.limits.bodyBytes,
                    "A request's body in the Management API with an access token that this server signed for it, and "
                        + "65536 at most otherwise; more is answered 413."),
                Setting(
                    "max-body-bytes-in-all", .integer(0...68_719_476_736, "bytes"), \.settings.limits.bodyBytesInAll,
                    "All bodies together that wait for their end or for an answer, over all connections of a port. "
                        + "The first 8192 bytes of each do not count. A body that finds no room is answered 503, and "
                        + "counted in countersign_http_bodies_refused_total."),
                Setting(
                    "max-connections", .integer(1...1_000_000, "connections"), \.settings.limits.connections,
                    "Open connections in all; one more is closed at once."),
                Setting(
                    "max-connections-per-address", .integer(1...1_000_000, "connections"),
                    \.settings.limits.connectionsPerAddress,
                    "Open connections from an address (IPv6: a /64 network); one more is closed at once. Behind a "
                        + "proxy all come from its address, whatever client-address-proxies say."),
                Setting(
                    "idle-timeout", .duration(.seconds(1) ... .seconds(3_600)), \.settings.limits.idleTimeout,
                    "How long a connection may be silent between requests, or take nothing of an answer."),
                Setting(
                    "head-timeout", .duration(.milliseconds(10) ... .seconds(3_600)), \.settings.limits.headDeadline,
                    "How long a new connection may take until its first head is complete, with the TLS handshake."),
                Setting(
                    "body-timeout", .duration(.milliseconds(10) ... .seconds(3_600)), \.settings.limits.bodyDeadline,
                    "How long a body may take."),
                Setting(
                    "exchange-timeout", .duration(.milliseconds(10) ... .seconds(3_600)),
                    \.settings.limits.exchangeDeadline,
                    "How long a request may be held, and then how long its answer may take to be sent. Over 300 s, "
                        + "or tenants cannot hold token requests for as long as they may configure. The page that "
                        + "waits for a phone is held for four fifths of it, 50 s at most."),
                Setting(
                    "stream-buffer-bytes", .integer(1_024...67_108_864, "bytes"), \.settings.limits.streamBufferBytes,
                    "What may wait for a device that does not read its channel; one behind by more is disconnected."),
                Setting(
                    "details-check-steps", .integer(10_000...1_000_000_000, "steps"), \.settings.detailsCheckSteps,
                    "What checking the authorization_details of one request against the API's schemas may cost; a "
                        + "request beyond it is refused. A step is an instruction of a pattern for a byte of text, "
                        + "under 10 nanoseconds."),
                Setting(
                    "retention", .duration(.zero ... .seconds(2_592_000)), \.settings.retention,
                    "How long an expired request is kept, so that late polls are told so."),
            ]),
        Group(
            heading: "Log",
            settings: [
                Setting("log-format", .choice, \.settings.logFormat, "Text for people, or a JSON object a line."),
                Setting("log-level", .choice, \.settings.logLevel, "What is less important is left out."),
                Setting("log-requests", .onOff, \.settings.logsRequests, "A line for every request."),
            ]),
        Group(
            heading: "Development",
            settings: [
                Setting(
                    "development", .onOff, \.development,
                    "Gives an empty database a development tenant, on a loopback address only.")
            ]),
    ]
}
