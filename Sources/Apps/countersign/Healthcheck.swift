import CountersignServer
import CurlTransport
import HTTPModel
import OAuthWire
import Terminal

extension Command {
    static var healthcheck: Command {
        let timeout = Option<Duration>.defaulted(
            "timeout", .duration(.seconds(1) ... .seconds(60)), to: .seconds(5), "Maximum time for the answer.")
        return Command(
            "healthcheck", "Ask the server on this machine if it can serve requests.",
            discussion: """
                For a container's supervisor, with the settings of the server. It asks /readyz at the server's own \
                address, and does not judge the certificate, which is made out to another name.

                The exit status is 0 if the server is ready, and 1 if not.
                """,
            options: [OptionGroup("Options", [timeout, ServerChoices.configurationFile])]
                + Setting.groups.map(\.options),
            examples: [
                "check a server's container": "countersign healthcheck --config /etc/countersign/countersign.json"
            ]
        ) { invocation in
            let settings = try ServerChoices(invocation, settings: Setting.all).settings
            let limit = try invocation[timeout]
            let url = EndpointPath.readiness.url(below: settings.ownAddress)
            let status: Int
            do throws(HTTPClientError) {
                status = try CertificateProbe.status(of: url, within: limit)
            } catch {
                throw CommandFailure("\(url): \(error.text)", hint: "is the server running, with these settings?")
            }
            guard status == 200 else {
                throw CommandFailure(
                    "\(url) answers \(status)", hint: "the server's log and countersign doctor say why")
            }
            invocation.output.line("ready")
            return 0
        }
    }
}

extension ServerSettings {
    /// URL of the server for programs of this machine.
    fileprivate var ownAddress: String {
        let host =
            switch address {
            case "0.0.0.0": "127.0.0.1"
            case "::": "[::1]"
            default: address.contains(":") ? "[\(address)]" : address
            }
        return "\(tls == .off ? "http" : "https")://\(host):\(port)/"
    }
}
