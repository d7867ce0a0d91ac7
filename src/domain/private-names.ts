/** Domains whose names belong to private networks, and never to public hosts. */
export const PRIVATE_SUFFIXES = ["internal", "local", "localhost", "localdomain", "lan", "home.arpa", "intranet", "corp", "home"];
