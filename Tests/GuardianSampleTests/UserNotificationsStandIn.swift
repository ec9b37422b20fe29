// The types of Apple's UserNotifications that the documents' sample names, where there is no such framework.
#if !canImport(UserNotifications)
    final class UNUserNotificationCenter {}

    struct UNNotificationPresentationOptions: OptionSet {
        let rawValue: UInt
    }

    final class UNNotificationContent {
        let userInfo: [AnyHashable: Any]

        init(userInfo: [AnyHashable: Any]) { self.userInfo = userInfo }
    }

    final class UNNotificationRequest {
        let content: UNNotificationContent

        init(content: UNNotificationContent) { self.content = content }
    }

    final class UNNotification {
        let request: UNNotificationRequest

        init(request: UNNotificationRequest) { self.request = request }
    }

    protocol UNUserNotificationCenterDelegate {}
#endif
