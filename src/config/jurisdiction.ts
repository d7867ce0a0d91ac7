// The jurisdiction cannot change after the first write, because in another jurisdiction, the same name belongs to another Durable Object.
import * as z from "zod";

/** The jurisdictions that Cloudflare offers for Durable Objects, D1 and R2. */
const JURISDICTIONS = ["eu", "us", "fedramp"] as const;

export type Jurisdiction = (typeof JURISDICTIONS)[number];

/** Where data is stored. If there is a problem, the deployment opens no Durable Objects and writes nothing. */
export interface Placement {
	/** Null for a deployment without a jurisdiction. */
	readonly jurisdiction: Jurisdiction | null;
	readonly problem: string | null;
}

/** Reports an invalid value as a problem. After an error, the platform would ignore the setting and store data elsewhere. */
export const placement = z
	.string()
	.transform((value): Placement => {
		const jurisdiction = JURISDICTIONS.find((name) => name === value) ?? null;
		if (value === "" || jurisdiction !== null) return { jurisdiction, problem: null };
		return { jurisdiction: null, problem: `must be one of ${JURISDICTIONS.join(", ")}, or not be set` };
	})
	.prefault("");

/** Returns the placement for development. A jurisdiction is a problem there, because the local runtime has none. */
export function placeLocally({ jurisdiction, problem }: Placement): Placement {
	if (jurisdiction === null) return { jurisdiction, problem };
	return { jurisdiction: null, problem: "must not be set in development, because the local runtime has no jurisdictions" };
}

const R2_HOST = /^([0-9a-f]{32})(?:\.([a-z-]+))?\.r2\.cloudflarestorage\.com$/;

/** Returns the S3 endpoint of R2 for a jurisdiction, which has its own host. Returns endpoints of other services unchanged. */
export function placeEndpoint(endpoint: string, jurisdiction: Jurisdiction | null): string {
	const url = new URL(endpoint);
	const [, account] = R2_HOST.exec(url.hostname) ?? [];
	if (jurisdiction === null || account === undefined) return endpoint;
	url.hostname = `${account}.${jurisdiction}.r2.cloudflarestorage.com`;
	return url.href.replace(/\/+$/, "");
}
