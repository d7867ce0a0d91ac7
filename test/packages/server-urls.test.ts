// The SDK and packages/python/tests/test_requests.py follow the same URLs of a platform.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { BountyClient, BountyUsageError } from "../../packages/sdk/src/index.ts";
import { PROJECT_ROOT } from "../support/samples.ts";

const caseSchema = z.object({ base: z.string(), follows: z.boolean(), urls: z.array(z.string()) });
const text = await readFile(join(PROJECT_ROOT, "test/packages/server-urls.json"), "utf8");
const cases = z
	.array(caseSchema)
	.parse(JSON.parse(text))
	.flatMap(({ base, follows, urls }) => urls.map((url) => ({ base, url, verb: follows ? "sends" : "rejects", follows })));

/** Sends one request of each kind to a URL, and returns the URLs that were requested. */
async function follow(base: string, url: string): Promise<{ requested: string[]; errors: unknown[] }> {
	const requested: string[] = [];
	const fetch = async (target: string) => {
		requested.push(target);
		return Response.json({});
	};
	const client = new BountyClient({ baseUrl: base, apiKey: "svc_sk_1", fetch, maxRetries: 0 });
	const calls = [() => client.downloadAttachment(url), () => client.putArtifact(url, new Uint8Array([1]))];
	const ends = await Promise.allSettled(calls.map((call) => call()));
	return { requested, errors: ends.flatMap((end) => (end.status === "rejected" ? [end.reason] : [])) };
}

describe("a URL from the platform", () => {
	it.each(cases)("$base $verb requests to $url", async ({ base, url, follows }) => {
		const { requested, errors } = await follow(base, url);
		if (follows) expect({ requested, errors }).toEqual({ requested: [url, url], errors: [] });
		else expect({ requested, errors }).toEqual({ requested: [], errors: [expect.any(BountyUsageError), expect.any(BountyUsageError)] });
	});
});
