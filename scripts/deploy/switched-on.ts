// Checks that the parts of Cloudflare are on that must be enabled by a click in the dashboard. A deployment does this before it creates
// anything, because otherwise the upload would fail halfway.
import { z } from "zod";
import { CommandError } from "../support/command.ts";
import type { Account } from "./cloudflare.ts";
import type { Deployment } from "./preparation.ts";

/** Cloudflare rejects a request with this code if R2 is not switched on. */
const R2_IS_OFF = /\b10042\b/;
/** With this code or these words, Cloudflare says the same about Analytics Engine. */
const ANALYTICS_IS_OFF = /\b10089\b|no_access_to_analytics_engine|enable Analytics Engine/i;

/**
 * Asks whether R2 and Analytics Engine are switched on in the account.
 *
 * @throws CommandError that says where to click for each that is not.
 */
export async function assertSwitchedOn({ hasDatasets }: Pick<Deployment, "hasDatasets">, account: Account): Promise<void> {
	const faults: string[] = [];
	const buckets = await refusalOf(account, "/r2/buckets");
	if (buckets !== null && R2_IS_OFF.test(buckets)) faults.push(`R2: ${dashboard(account, "r2/overview")}`);
	const datasets = hasDatasets ? await refusalOf(account, `/analytics_engine/sql?query=${encodeURIComponent("SHOW TABLES")}`) : null;
	const place = dashboard(account, "workers/analytics-engine");
	if (datasets !== null && ANALYTICS_IS_OFF.test(datasets)) faults.push(`Analytics Engine: ${place}`);
	else if (datasets !== null) {
		console.warn(
			`It is unknown whether Analytics Engine is switched on, for example because the token may not read Account Analytics. If the upload ends with code 10089, switch it on at ${place} and deploy again.`,
		);
	}
	if (faults.length === 0) return;
	throw new CommandError(
		`Nothing was created. Switch these on in Cloudflare's dashboard, which takes one click each, and deploy again:

  ${faults.join("\n  ")}

Without Analytics Engine you can also remove [[analytics_engine_datasets]] from wrangler.toml: the platform then works without history and metrics.`,
	);
}

/** Returns Cloudflare's message if it rejects reading a path. */
async function refusalOf(account: Account, path: string): Promise<string | null> {
	try {
		await account.ask({ method: "GET", path }, z.unknown());
		return null;
	} catch (error) {
		if (error instanceof CommandError) return error.message;
		throw error;
	}
}

function dashboard({ id }: Pick<Account, "id">, place: string): string {
	return `https://dash.cloudflare.com/${id}/${place}`;
}
