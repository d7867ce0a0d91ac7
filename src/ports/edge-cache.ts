/** Responses by URL, kept in one data centre for as long as their `Cache-Control` says. */
export interface EdgeCache {
	match(url: string): Promise<Response | undefined>;
	put(url: string, response: Response): Promise<void>;
}
