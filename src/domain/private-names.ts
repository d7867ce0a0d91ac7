/** Names below these are of a private network, and never of a public host. */
export const PRIVATE_SUFFIXES = ["internal", "local", "localhost", "localdomain", "lan", "home.arpa", "intranet", "corp", "home"];
