// The bucket has a lifecycle rule: direct uploads that were not completed are deleted.
import { askWrangler } from "../support/wrangler.ts";
import { environmentArguments } from "./options.ts";
import type { Deployment } from "./preparation.ts";

const RULE = "abandoned-uploads";
const PREFIX = "uploads/";
const EXPIRE_DAYS = "30";

/**
 * Adds the rule unless the bucket has one of its name. The upload of the Worker has created the bucket, if it was missing. A failure
 * only warns, because the rule only saves space.
 */
export async function setLifecycleRule({ bucket }: Deployment, environment: string | null): Promise<void> {
	const place = [bucket.name, ...(bucket.jurisdiction === undefined ? [] : ["--jurisdiction", bucket.jurisdiction])];
	const flags = environmentArguments(environment);
	const list = await askWrangler({ args: ["r2", "bucket", "lifecycle", "list", ...place, ...flags] });
	if (list.ok && list.output.includes(RULE)) return;
	const added = list.ok
		? await askWrangler({
				args: [
					"r2",
					"bucket",
					"lifecycle",
					"add",
					...place,
					"--name",
					RULE,
					"--prefix",
					PREFIX,
					"--expire-days",
					EXPIRE_DAYS,
					"--force",
					...flags,
				],
			})
		: list;
	if (added.ok) console.log(`The bucket ${bucket.name} deletes uploads that were not completed after ${EXPIRE_DAYS} days.`);
	else
		console.warn(`The lifecycle rule of the bucket ${bucket.name} could not be set. The next deployment tries again.\n\n${added.output}`);
}
