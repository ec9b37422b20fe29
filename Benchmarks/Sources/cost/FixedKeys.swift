import JOSE
import Primitives
import TestSupport

/// Keys that protect nothing. With new ones at each run, what signatures cost would differ by 2 % from run to run.
enum FixedKeys {
    static func use() {
        Keys.fix(.rs256, SecretBytes(utf8: rsa))
        Keys.fix(.ps256, SecretBytes(utf8: rsa))
        Keys.fix(.es256, SecretBytes(utf8: p256))
    }

    private static let rsa = """
        -----BEGIN PRIVATE KEY-----
        MIIEvwIBADANBgkqhkiG9w0BAQEFAASCBKkwggSlAgEAAoIBAQDhmrUQkwYT+fGp
        KO3jEJgYwMgzBdVYrYJfvFs26I67ZVeNB06vKA9yo+ZHIlSKO27y8qSlstx3sGsl
        BqmGSHUFzGBIMLzzon4NUuJPK1ePKjsU8wLD2kQPFFCyG2IdL1ZxnzhDtVZe/Dqv
        dg9LmReJZHLz7bbKPLk0iaI8Bg8wzu5V26Mqkn+weorG1JBItMIJl7V1avHy4FBG
        Mx2O+vf665gAIiWE6b2lsDXIMvp02NvBC7YEdA38vo1Nm6m8qVLooQoPX2+wjrP1
        sq4w57ZmIUdc5ie0pMWi47nFZB/amLMiGNctbalW/b4i/QIaNwot8vgRdPJJ4bvj
        yRa/bvtdAgMBAAECggEAAyEBh6FJqDOiLMmtWfs/BxU5CN3SLbSGOdvuNhzGFBAw
        JmR8vAF4MzJhdoi89oQEr+F8XJ3l7DcJ9GnH0Sd53ZgGU0iJCUFVSY23Xb6EDX0E
        ugblpGe9vT0DSSMm0MCA/TysSsNh10BwXCsrCb6eVI4+ur+nHTMetGYa8Udyaqt9
        YWiyQ8/FmE06hPcy6ybZwYY0eNf5MZKEowl+uzI4XUFgCzk16Oibuyegkt3Ikwzv
        lXGRUYF1Xr4OAS5DqvxY3hkGoaQNp30tT7Zg9Un3sF0D/VRgT+g+paVe2X5nNlRu
        Qnka2/gjyc5QRr8AnmACXlvC+FQJGMw7zG0e7y/A1QKBgQD0x6RsKHIKtze68EGJ
        QJsrtpwOWjwO+v2aOfOyVk96AsVCcOI8beC7SYCppT6Rl9Sma3YLdhzyFCV1shwk
        MNbDVA6YPtPe+z60yubN1/duhF6sjt5YFiaNr+gNTXWLnyF0ntKe2tkiqhCA5sdo
        Mu5eS3e8YuA+ecuIboB/3UqnbwKBgQDr8gz5bpw5ctqpU2xa30iSSLfajGzC+K8G
        hPF3xxGj7Q9GPeSaL81eDlMchDxV/RDZUQ+th/NqVm5/i68uAMdPicwLjRkzp5ob
        6vMm9rUZNur39VUb2TnceGS5mVnke6UzMnvpletvfBrVlLIuxXRZAtWIP18WOQxH
        H8eLdEBD8wKBgQDH4a62U2Cst2he0onxljwfugI9Bho88V/dbK0/V5OWwmRqGNvl
        FKSKyz6xSSqKoT0YmG/QdCa21xSvwz2PoAH/hshUMhm439kYsQc/17dJG/ZjWlbd
        /1iEIryPAE2YMd2T6Y18AqGE2PKZD9qNj+luPpoLz4HmAnbddb6gqwenKQKBgQC9
        9OsDKk02Z0SqDFLxOlC4DTmQB3xM4GAxVHj/YNLP8jxY5d2VUST7M3cwPzpAVHTr
        MTr5D7omg52ErFYGKHROkfcn2ZpPnwEQtvC6DuewfCliJi82M4ZE/NzDHDZmIDHZ
        bSyb26pn4DfOel+WDjxkqUZ24eZRAu7imDBUEuzmhwKBgQDCEuWr9bwObTocvyIP
        yIrsWGAKNyfjqpcTCzwCvXoKgTXSW7dcIhUzqYrmoC888Vz9OLcvGWXFwGdUeTHW
        udPBmC5pzkRVQTERwRPUkRm5gzxT4feRDncu3w/pz4cPZeZV+Dfr+PRrKULx9B7W
        Ktq/g/ns9FlZdZ1ZBmOBMmYxeA==
        -----END PRIVATE KEY-----
        """

    private static let p256 = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgGepx6vluFyW2BOkz
        bs6JJCA9vilBdB1biVx2lwegWIKhRANCAASYND9wcd+/b2fCB/nlfOizhAo8SqaY
        e+GZ5yLWPpDHMQ6ZRsTgmGNNPqi6h2P0PZAA/kP55IiOu3HEDo7Ov62J
        -----END PRIVATE KEY-----
        """
}
