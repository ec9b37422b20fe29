public enum AdministrationSeed {}
