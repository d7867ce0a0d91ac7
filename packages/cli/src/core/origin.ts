/** Returns the origin of a URL. A string that is not a URL stays unchanged, and is rejected later. */
export function originOf(url: string): string {
	return URL.canParse(url) ? new URL(url).origin : url;
}
