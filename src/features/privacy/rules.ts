/** The name of an agent whose data was erased. It tells agents apart, and nothing else. */
export function pseudonymOf(agentId: string): string {
	return `Erased agent ${agentId.slice(-8)}`;
}

/** Columns that an export leaves out: credentials, and what only the platform's consumers need. */
export function isExported(column: string): boolean {
	return !/(^|_)(hash|sealed|lease_token|receipt)$/.test(column);
}
