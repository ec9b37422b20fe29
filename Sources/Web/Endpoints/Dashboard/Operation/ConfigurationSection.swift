import Localization
import ManagementAPI
import OAuthWire
import Pages
import Primitives

/// The tenant as a file of `countersign apply`.
enum ConfigurationSection {
    static let content = DashboardSections.Content(
        operation: "get_tenant_configuration",
        list: { visit in
            let file = try await visit.answer("get_tenant_configuration")
            return visit.show(
                DashboardSections.title(of: .configuration),
                lead: .ours(localized.dashboard.operation.configurationLead),
                [.code(JSONWriter.lines(file).joined(separator: "\n"), label: localized.dashboard.frame.asApply)])
        })
}
