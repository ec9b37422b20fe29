import HTTPModel
import Testing

@Suite("Browser and system by what the browser says")
struct BrowserSoftwareTests {
    private static let webKit = "AppleWebKit/537.36 (KHTML, like Gecko)"

    @Test(
        "The User-Agent of a common browser names it and its system, without versions",
        arguments: [
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:141.0) Gecko/20100101 Firefox/141.0", "Firefox",
                "macOS"
            ),
            ("Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0", "Firefox", "Linux"),
            ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) \(webKit) Chrome/142.0.0.0 Safari/537.36", "Chrome", "Windows"),
            ("Mozilla/5.0 (Windows NT 10.0) \(webKit) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0", "Edge", "Windows"),
            ("Mozilla/5.0 (Linux; Android 10; K) \(webKit) Chrome/142.0.0.0 Mobile Safari/537.36", "Chrome", "Android"),
            (
                "Mozilla/5.0 (Linux; Android 14) \(webKit) SamsungBrowser/29.0 Chrome/136.0.0.0 Mobile Safari/537.36",
                "Samsung Internet", "Android"
            ),
            ("Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) \(webKit) Chrome/142.0.0.0 Safari/537.36", "Chrome", "ChromeOS"),
            ("Mozilla/5.0 (X11; Linux x86_64) \(webKit) Chrome/142.0.0.0 Safari/537.36 OPR/126.0", "Opera", "Linux"),
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/26.0 Safari/605.1.15",
                "Safari", "macOS"
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 Version/26.0 Safari/604.1",
                "Safari", "iOS"
            ),
            ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) CriOS/142.0 Mobile Safari/604.1", "Chrome", "iOS"),
            ("Mozilla/5.0 (iPad; CPU OS 18_6 like Mac OS X) FxiOS/141.0 Mobile Safari/605.1.15", "Firefox", "iPadOS"),
            ("Mozilla/5.0 (X11; FreeBSD amd64; rv:128.0) Gecko/20100101 Firefox/128.0", "Firefox", "FreeBSD"),
        ])
    func agents(agent: String, browser: String, system: String) {
        #expect(BrowserSoftware(["User-Agent": agent]) == BrowserSoftware(browser: browser, system: system))
    }

    @Test("Client hints that name something common come before the User-Agent")
    func hints() {
        let agent = "Mozilla/5.0 (X11; Linux x86_64) \(Self.webKit) Chrome/142.0.0.0 Safari/537.36"
        let brands = #""Not_A Brand";v="99", "Chromium";v="142", "Brave";v="142""#
        #expect(
            BrowserSoftware(["User-Agent": agent, "Sec-CH-UA": brands, "Sec-CH-UA-Platform": #""macOS""#])
                == BrowserSoftware(browser: "Brave", system: "macOS"))
        #expect(
            BrowserSoftware(["User-Agent": agent, "Sec-CH-UA": #""Mine";v="1""#, "Sec-CH-UA-Platform": #""Mine""#])
                == BrowserSoftware(browser: "Chrome", system: "Linux"))
        #expect(BrowserSoftware(["Sec-CH-UA": #""Chromium";v="142""#]).browser == "Chromium")
    }

    @Test(
        "Anything else is unknown, whatever it says, and nothing is read beyond 512 bytes",
        arguments: [
            "", "curl/8.14", "Your bank (safe)", "\u{202E}xof",
            String(repeating: "x", count: 512) + "Firefox/1 Windows",
        ])
    func unknown(agent: String) {
        #expect(BrowserSoftware(["User-Agent": agent]) == .unknown)
        #expect(BrowserSoftware([:]) == .unknown)
    }
}
