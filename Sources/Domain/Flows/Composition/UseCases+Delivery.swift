extension UseCases.Ports {
    /// The engine of the delivery, with a courier for each queue.
    package func worker(_ channel: DeviceChannel, _ hub: DecisionHub) -> DeliveryWorker {
        let (store, vault) = (basic.store, basic.vault)
        let rerouting = RequestRerouting(
            source: store, vault: vault, configuration: configuration, sendsMail: ways.sendsMail)
        let providers: [any NotificationProvider] = [channel] + ways.pushes
        let notifications: [any DeliveryCourier] = providers.map { provider in
            NotificationCourier(
                provider: provider, source: store, vault: vault, configuration: configuration,
                composer: NotificationComposer(secrets: keys.transactions), rerouting: rerouting)
        }
        let mail = MailCourier(
            transport: ways.transport, relays: ways.relays, source: store, vault: vault, configuration: configuration,
            ids: keys.mails, rerouting: rerouting, sealer: basic.sealer, budget: ways.mails)
        let logout = LogoutCourier(
            logout: BackchannelLogout(notifier: ways.logout, random: basic.random), configuration: configuration)
        return DeliveryWorker(
            store: store, couriers: notifications + [mail, logout], decisions: hub, owner: ways.owner, clock: clock,
            timer: timer, jitter: ways.jitter, tracer: tracer, report: ways.report)
    }
}
