// The bucket's lifecycle rule deletes direct uploads that were not completed.
import { z } from "zod";
import type { Account } from "./cloudflare.ts";
import type { Deployment } from "./preparation.ts";

const EXPIRE_DAYS = 30;
const DAY_SECONDS = 86_400;
const RULE = {
	id: "abandoned-uploads",
	enabled: true,
	conditions: { prefix: "uploads/" },
	deleteObjectsTransition: { condition: { type: "Age", maxAge: EXPIRE_DAYS * DAY_SECONDS } },
};

const lifecycle = z.object({ rules: z.array(z.looseObject({ id: z.string() })) });

/**
 * Adds the rule unless the bucket has a rule with its name. Uploading the Worker has created the bucket if it was missing. A failure causes
 * only a warning, because the rule only saves space.
 */
export async function setLifecycleRule({ bucket, jurisdiction }: Deployment, account: Account): Promise<void> {
	const place = {
		path: `/r2/buckets/${bucket}/lifecycle`,
		headers: jurisdiction === null ? {} : { "cf-r2-jurisdiction": jurisdiction },
	};
	try {
		const existing = await account.ask({ method: "GET", ...place }, lifecycle);
		if (existing === null) throw new Error("Cloudflare does not find the bucket.");
		if (existing.rules.some(({ id }) => id === RULE.id)) return;
		// A request replaces all rules, so it repeats the operator's own.
		await account.ask({ method: "PUT", ...place, body: { rules: [...existing.rules, RULE] } }, z.unknown());
		console.log(`The bucket ${bucket} deletes uploads that are not completed within ${EXPIRE_DAYS} days.`);
	} catch (error) {
		console.warn(`The lifecycle rule of the bucket ${bucket} could not be set. The next deployment tries again.`, String(error));
	}
}
