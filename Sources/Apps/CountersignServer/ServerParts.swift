import Administration
import ForeignPasswords
import AuthorizationCore
import Configuration
import CurlTransport
import Delivery
import Endpoints
import FIDO2Passkeys
import Files
import Flows
import MaxMindPlaces
import OpenSSLCrypto
import Persistence
import Primitives
import QRCodes
import Routing
import SQL
import Tracing

/// The adapters behind the ports of the use cases, and the application over them.
struct ServerParts: Sendable {
    let clock = SystemClock()
    let timer = SystemTimer()
    let configuration: ConfigurationCache
    let detailsCheckLimit: DetailsCheckLimit
    /// Administrators learn at once that they ask for too much.
    let ticketMails: MailBudget
    /// Mails that are sent count over all kinds.
    let sentMails: MailBudget
    let proxies: TrustedProxies
    let errors: ErrorRenderer
    let admission: Admission
    let flows: UseCases
    let application: Application

    init(_ settings: ServerSettings, _ installation: Installation, _ log: Log) async throws {
        _ = try await installation.signingKeys.certify(now: clock.now)
        try await SigningKeySupply(installation.keys).completeWebPushKeys(in: installation.store)
        detailsCheckLimit = DetailsCheckLimit(steps: settings.detailsCheckSteps)
        let configuration = installation.configurationCache(detailsCheckLimit) { problem in
            log.write(.error, "configuration", ["problem": problem])
        }
        self.configuration = configuration
        _ = try await configuration.refresh()
        (ticketMails, sentMails) = (MailBudget(settings.mailLimits), MailBudget(settings.mailLimits))
        proxies = TrustedProxies(
            certificates: settings.certificateProxies, addresses: settings.clientAddressProxies,
            field: settings.clientAddressField)
        errors = ErrorRenderer { id, detail, status in
            if status < 500 {
                log.write(.info, "refused", ["id": id, "detail": detail])
            } else {
                log.write(.error, "failed", ["id": id, "status": String(status), "detail": detail])
            }
        }
        let keys = try await installation.derivedKeys()
        let passwords = ServerPasswords(random: SystemRandom())
        flows = try await UseCases(
            try settings.ports(
                installation, configuration, clock, timer, passwords, keys, sentMails, log))
        let (store, database) = (installation.store, installation.database)
        admission = Admission(settings.admission) { database.queuedWork }
        let disk = settings.store.isFile ? settings.dataFolder : nil
        application = Application(
            flows,
            managers: installation.managers(
                passwords: passwords, ticketMails: ticketMails, ceilings: settings.tenantCeilings),
            configuration: configuration, clock: clock, timer: timer, formKey: keys.forms,
            qrCode: { try? QRCode($0).modules },
            proxySettings: ProxySettings(
                mtlsPort: settings.mtlsPort, proxies: proxies, transportSecurity: settings.transportSecurity),
            admission: admission, tracer: installation.tracer,
            isReady: { [clock] in
                if let disk, (try? DoctorFacts.disk(disk))?.takesChanges == false { return false }
                return await store.isReady(now: clock.now) && !configuration.current.tenants.isEmpty
            }, log: errors.log)
    }
}

extension ServerSettings {
    /// - Throws: `SettingFailure` for a file that cannot be used.
    fileprivate func ports(
        _ installation: Installation, _ configuration: ConfigurationCache, _ clock: any WallClock,
        _ timer: any AuthorizationCore.Timer, _ passwords: any PasswordHasher, _ keys: DerivedKeys,
        _ sentMails: MailBudget, _ log: Log
    ) throws -> UseCases.Ports {
        // The file is read for each outgoing connection. Reading it here shows a problem before the first login does.
        if let file = trustedAuthorities { _ = try authorities("trusted-authorities", file) }
        let hashing = OpenSSLHashing()
        let transport = try OutgoingTransport(outgoingPolicy, outgoing)
        return UseCases.Ports(
            installation.ports(outgoing: transport.policy), configuration: configuration, clock: clock, timer: timer,
            pageHold: pageHold,
            passkeys: FIDO2Passkeys(hashing: hashing), passwords: passwords, keys: keys, http: transport,
            published: PublishedClientKeys(client: transport) { problem in
                log.write(.info, "client keys", ["problem": problem])
            },
            oldServers: OldServers(client: transport) { problem in
                log.write(.error, "old server", ["problem": problem])
            },
            trust: try clientAuthorities.map { try authorities("mtls-ca", $0) } ?? ClientAuthorities(),
            places: try places(log),
            ways: UseCases.DeliveryWays(
                pushes: try pushes(configuration), transport: mailTransport, relays: mailRelays(hashing),
                logout: LogoutTokenSender(http: transport, clock: clock), mails: sentMails,
                owner: nodeName
            ) { queue, problem in
                log.write(.error, "delivery", ["queue": queue.rawValue, "problem": problem])
            }, link: try link(installation.vault),
            examiner: try ServerExaminer(self, installation, timer, sentMails),
            tracer: installation.tracer)
    }

    private func pushes(_ configuration: ConfigurationCache) throws -> [any NotificationProvider] {
        var pushing = outgoing
        pushing.responseLimit = WebPushProvider.answerLimit
        let webPush = WebPushProvider(
            http: try OutgoingTransport(outgoingPolicy, pushing), encryption: PushMessageCipher(),
            configuration: configuration)
        return [webPush] + (try mobilePushServices().providers(configuration))
    }

    private func authorities(_ setting: String, _ file: String) throws -> ClientAuthorities {
        do {
            return try ClientAuthorities(pem: Array(try Installation.text(of: file).utf8))
        } catch let failure as FileFailure {
            throw SettingFailure(setting: setting, reason: failure.description)
        } catch {
            throw SettingFailure(setting: setting, reason: "\(file) contains no readable certificates in PEM: \(error)")
        }
    }

    private func places(_ log: Log) throws -> MaxMindPlaces? {
        guard let file = geoIPDatabase else { return nil }
        do {
            return try MaxMindPlaces(file) { log.write(.error, "places", ["problem": $0]) }
        } catch {
            throw SettingFailure(
                setting: "geoip-database",
                reason: "\(error). Name a database in MaxMind's format, such as GeoLite2 City")
        }
    }
}
