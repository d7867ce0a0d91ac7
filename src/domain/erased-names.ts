/** Returns the name that replaces an erased agent's own name in data that is kept. */
export function erasedName(agentId: string): string {
	return `Erased agent ${agentId.slice(-8)}`;
}
