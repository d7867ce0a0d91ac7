/** Domains whose names are used in private networks and never for public hosts. */
export const PRIVATE_SUFFIXES = ["internal", "local", "localhost", "localdomain", "lan", "home.arpa", "intranet", "corp", "home"];
