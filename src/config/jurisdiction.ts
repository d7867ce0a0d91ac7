// The jurisdiction of the data is fixed from the first write on, because in another jurisdiction the same name is a different object.
import * as z from "zod";

/** The jurisdictions that Cloudflare has for objects, D1 and R2. */
const JURISDICTIONS = ["eu", "us", "fedramp"] as const;

export type Jurisdiction = (typeof JURISDICTIONS)[number];

/** Where data is stored. If there is a problem, the deployment does not open objects or write anything. */
export interface Placement {
	/** Null for a deployment without a jurisdiction. */
	readonly jurisdiction: Jurisdiction | null;
	readonly problem: string | null;
}

/** An invalid value closes the deployment instead of placing its data elsewhere. */
export const placement = z
	.string()
	.transform((value): Placement => {
		const jurisdiction = JURISDICTIONS.find((name) => name === value) ?? null;
		if (value === "" || jurisdiction !== null) return { jurisdiction, problem: null };
		return { jurisdiction: null, problem: `must be one of ${JURISDICTIONS.join(", ")}, or not be set` };
	})
	.prefault("");

/** The local runtime has no jurisdictions. */
export function placeLocally({ jurisdiction, problem }: Placement): Placement {
	if (jurisdiction === null) return { jurisdiction, problem };
	return { jurisdiction: null, problem: "must not be set in development, because the local runtime has no jurisdictions" };
}

const R2_HOST = /^([0-9a-f]{32})(?:\.([a-z-]+))?\.r2\.cloudflarestorage\.com$/;

/** Returns the S3 endpoint of a bucket in a jurisdiction. Each jurisdiction has its own host. Other hosts stay unchanged. */
export function placeEndpoint(endpoint: string, jurisdiction: Jurisdiction | null): string {
	const url = new URL(endpoint);
	const [, account] = R2_HOST.exec(url.hostname) ?? [];
	if (jurisdiction === null || account === undefined) return endpoint;
	url.hostname = `${account}.${jurisdiction}.r2.cloudflarestorage.com`;
	return url.href.replace(/\/+$/, "");
}
