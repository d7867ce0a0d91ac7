// Data stays in a jurisdiction from the first write on: an object's name is another object in each one, so it cannot be changed later.
import * as z from "zod";

/** Cloudflare has these for objects, D1 and R2 alike. */
const JURISDICTIONS = ["eu", "us", "fedramp"] as const;

export type Jurisdiction = (typeof JURISDICTIONS)[number];

/** This says where data is. With a problem, the deployment reaches no objects and writes nothing. */
export interface Placement {
	/** Null for a deployment without a jurisdiction. */
	readonly jurisdiction: Jurisdiction | null;
	readonly problem: string | null;
}

/** A value that is not a jurisdiction closes the deployment, and does not place its data elsewhere. */
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

/** Returns the S3 endpoint of a bucket in a jurisdiction. Each jurisdiction has a host of its own. Other hosts stay as they are. */
export function placeEndpoint(endpoint: string, jurisdiction: Jurisdiction | null): string {
	const url = new URL(endpoint);
	const [, account] = R2_HOST.exec(url.hostname) ?? [];
	if (jurisdiction === null || account === undefined) return endpoint;
	url.hostname = `${account}.${jurisdiction}.r2.cloudflarestorage.com`;
	return url.href.replace(/\/+$/, "");
}
