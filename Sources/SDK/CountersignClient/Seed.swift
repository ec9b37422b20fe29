public enum CountersignClientSeed {}
