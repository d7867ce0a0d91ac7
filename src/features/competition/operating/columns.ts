// The columns that operators of the deployment are not shown.

/** False for credentials, and for what only the platform's consumers need. */
export function isShown(column: string): boolean {
	return !/(^|_)(hash|sealed|lease_token|receipt)$/.test(column);
}
