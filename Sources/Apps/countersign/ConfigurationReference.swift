import Terminal

/// docs/configuration.md, made of the settings' declarations.
enum ConfigurationReference {
    static var markdown: String {
        var lines = [introduction]
        for group in Setting.groups {
            lines += [
                "", "## \(group.heading)", "", "| option | environment | key | default | allowed | |",
                "|---|---|---|---|---|---|",
            ]
            lines += group.settings.map { setting in
                let declaration = setting.declaration
                return "| `--\(declaration.name)` | `\(declaration.environment ?? "")` | `\(setting.key)` "
                    + "| \(declaration.defaultText ?? "") | \(setting.allowed) | \(setting.purpose) |"
            }
        }
        return lines.joined(separator: "\n")
    }

    private static let introduction = """
        # Configuration

        <!-- Made by `countersign serve --print-configuration-reference`; change the declarations instead. -->

        Every setting of `countersign serve` can be given as an option, as an environment variable, or as a key of the JSON
        object in the file that `--config FILE` or `COUNTERSIGN_CONFIG` names. An option comes before a variable, a variable
        before the file, the file before the default. A value that is not allowed, or a key that is not known, keeps the
        server from starting (exit status 2), and the message names its source.

        Times are whole numbers with their unit, such as `250ms`, `30s`, `5m`, `1h30m` or `7d`. In the file times are texts,
        numbers and ports are numbers, and `on` and `off` are `true` and `false`:

        ```json
        {
          "address": "0.0.0.0",
          "tls": "files",
          "tls_certificate": "/etc/countersign/tls.pem",
          "tls_key": "/etc/countersign/tls-key.pem",
          "max_connections": 50000,
          "idle_timeout": "2m",
          "log_format": "json"
        }
        ```

        `\(masterKeyVariable)` gives the master key itself: 32 bytes, written as 43 characters of base64url or 64 hexadecimal
        digits. There is no option and no key for it, since other users can read a process's options. In the same way
        `\(smtpPasswordVariable)` gives the password at the mail server.
        """
}
