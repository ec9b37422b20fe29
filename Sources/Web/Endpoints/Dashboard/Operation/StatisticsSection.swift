import HTTPModel
import Localization
import ManagementAPI
import OAuthWire
import Pages
import Primitives

/// Events of each of the last days, as bars.
enum StatisticsSection {
    private static var texts: Localized<Texts.Dashboard.Operation> { localized.dashboard.operation }

    static let content = DashboardSections.Content(
        operation: "list_daily_statistics",
        list: { visit in
            let days = try await visit.answer("list_daily_statistics").arrayValue ?? []
            let active = try await visit.answer("count_active_users").intValue ?? 0
            func plot(_ title: LocalizedText, _ member: String) -> DashboardBlock {
                .plot(
                    Plot(
                        title,
                        days.map { day in
                            (String((day["date"]?.stringValue ?? "").prefix(10)), day[member]?.intValue ?? 0)
                        }))
            }
            return visit.show(
                DashboardSections.title(of: .statistics),
                [
                    .facts([DashboardBlock.Fact(.ours(texts.activeUsers), [.strong(.theirs(String(active)))])]),
                    .columns([
                        [plot(texts.logins, "logins"), plot(texts.signUps, "signups")],
                        [
                            plot(texts.started, "backchannel_starts"), plot(texts.allowed, "approvals"),
                            plot(texts.rejected, "rejections"),
                        ],
                    ]),
                ])
        })
}
