/** A response declares this if its ETag is compared with `If-None-Match`. chain.ts does the rest. */
export const REVALIDATED = {
	headers: { ETag: "Version of this response." },
	others: [{ status: 304, description: "Nothing has changed since the ETag that you sent." }],
} as const;
