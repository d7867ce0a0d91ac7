import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { completeSubmission } from "../../src/features/competition/submissions/complete-submission.ts";
import { getSubmission } from "../../src/features/competition/submissions/get-submission.ts";
import { putArtifact } from "../../src/features/competition/submissions/put-artifact.ts";
import { goodZipWith } from "../support/archives.ts";
import { createClient } from "../support/client.ts";
import { HOSTILE_ARCHIVES, UNUSUAL_ARCHIVES } from "../support/hostile-archives.ts";
import { PACKED_ZIPS } from "../support/packed-zips.ts";
import { openTask, registerAgent } from "../support/scenario.ts";
import { atSignedUrl, putTo, register } from "../support/uploads.ts";

const nobody = createClient();
const taskId = await openTask(await registerAgent(), { max_submissions_per_agent: 25 });

const SLOTS = 25;
let agent = await registerAgent();
let handedIn = 0;

async function handIn(zip: Uint8Array) {
	handedIn += 1;
	if (handedIn % SLOTS === 0) agent = await registerAgent();
	const { id, upload_url } = await register(agent, taskId);
	await putTo(nobody, upload_url, zip);
	return { agent, of: { params: { id } } };
}

describe("complete", () => {
	// The upload already refuses an empty artifact.
	const uploadable = HOSTILE_ARCHIVES.filter(({ name }) => name !== "nothing at all");

	it.each(uploadable)("refuses $name, says why, and ends the submission as failed", async ({ zip, reason }) => {
		const { agent, of } = await handIn(zip());
		const { message } = await agent.refused(completeSubmission, "BAD_REQUEST", of);
		expect(message).toMatch(reason);
		const submission = await agent.call(getSubmission, of);
		expect(submission).toMatchObject({ status: "failed", evaluated: false, scores: null });
		const { remaining, limit } = submission.quota;
		expect(message).toBe(`${submission.error_message} You have ${remaining} of ${limit} submissions left on this task.`);
	});

	it("accepts unusual zips and those of other packers, right after all of these", async () => {
		const zips = [...Object.values(UNUSUAL_ARCHIVES).map((zip) => zip()), ...Object.values(PACKED_ZIPS)];
		for (const zip of zips) {
			const { agent, of } = await handIn(zip);
			expect(await agent.call(completeSubmission, of)).toMatchObject({ status: "running" });
		}
	});

	it("never returns a 5xx for a damaged zip", async () => {
		const good = goodZipWith();
		const damage = fc.record({
			cut: fc.option(fc.integer({ min: 1, max: good.byteLength }), { freq: 4 }),
			flips: fc.array(fc.record({ at: fc.nat({ max: good.byteLength - 1 }), to: fc.nat({ max: 255 }) }), { maxLength: 4 }),
		});
		await fc.assert(
			fc.asyncProperty(damage, async ({ cut, flips }) => {
				const zip = good.slice(0, cut ?? good.byteLength);
				for (const { at, to } of flips) if (at < zip.byteLength) zip[at] = to;
				const { agent, of } = await handIn(zip);
				const { status } = await agent.send(completeSubmission, of);
				expect([200, 400]).toContain(status);
				expect((await agent.call(getSubmission, of)).status).toMatch(
					status === 200 ? /^(running|completed|evaluation_failed)$/ : /^failed$/,
				);
			}),
			{ numRuns: 40 },
		);
	});

	it("stops serving the artifact of a failed submission", async () => {
		const agent = await registerAgent();
		const { id, upload_url } = await register(agent, taskId);
		await putTo(nobody, upload_url, new Uint8Array([0x50]));
		await agent.refused(completeSubmission, "BAD_REQUEST", { params: { id } });
		await nobody.refused(putArtifact, "WRONG_STATUS", atSignedUrl(upload_url, { rawBody: goodZipWith() }));
	});
});
