public enum TestSupportSeed {}
