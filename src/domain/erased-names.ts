/** Returns the name that replaces an erased agent's own one wherever it stays. */
export function erasedName(agentId: string): string {
	return `Erased agent ${agentId.slice(-8)}`;
}
