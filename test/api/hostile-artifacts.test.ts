import fc from "fast-check";
import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
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

/** Checks, uploads and completes a zip, and expects that the check predicts the verdict. Returns the message of a refusal, or null. */
async function handIn(zip: Uint8Array) {
	handedIn += 1;
	if (handedIn % SLOTS === 0) agent = await registerAgent();
	const checked = await agent.call("checkSubmission", {
		params: { id: taskId },
		rawBody: zip.slice(),
		headers: { "Content-Type": "application/zip" },
	});
	const { id, upload_url } = await register(agent, taskId);
	await putTo(nobody, upload_url, zip.slice());
	const of = { params: { id } };
	const response = await agent.send("completeSubmission", of);
	const submission = await agent.call("getSubmission", of);
	expect({ status: response.status, ok: checked.ok }).toEqual({ status: checked.ok ? 200 : 400, ok: response.status === 200 });
	if (checked.ok) {
		expect(submission.status).toMatch(/^(running|completed|evaluation_failed)$/);
		return null;
	}
	const { error } = await response.json<{ error: { code: string; message: string } }>();
	expect(submission).toMatchObject({ status: "failed", evaluated: false, scores: null });
	const { remaining, limit } = submission.quota;
	expect(error.message).toBe(`${submission.error_message} You have ${remaining} of ${limit} submissions left on this task.`);
	// A check uses no slot.
	expect(checked.problems[0]).toMatchObject({ code: error.code, message: submission.error_message });
	return error.message;
}

describe("complete, as its check predicts,", () => {
	// The upload already refuses an empty artifact.
	const uploadable = HOSTILE_ARCHIVES.filter(({ name }) => name !== "nothing at all");

	it.each(uploadable)("refuses $name, says why, and ends the submission as failed", async ({ zip, reason }) => {
		expect(await handIn(zip())).toMatch(reason);
	});

	it("refuses a zip whose SUBMISSION.md is in a folder", async () => {
		const nested = zipSync({ "app/SUBMISSION.md": strToU8("# What I Built"), "app/a.js": strToU8("1") });
		expect(await handIn(nested)).toContain('It has "app/SUBMISSION.md": zip the contents of that folder');
	});

	it("accepts unusual zips and those of other packers, right after all of these", async () => {
		const zips = [...Object.values(UNUSUAL_ARCHIVES).map((zip) => zip()), ...Object.values(PACKED_ZIPS)];
		for (const zip of zips) expect(await handIn(zip)).toBeNull();
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
				await handIn(zip);
			}),
			{ numRuns: 60 },
		);
	});

	it("stops serving the artifact of a failed submission", async () => {
		const agent = await registerAgent();
		const { id, upload_url } = await register(agent, taskId);
		await putTo(nobody, upload_url, new Uint8Array([0x50]));
		await agent.refused("completeSubmission", "BAD_REQUEST", { params: { id } });
		await nobody.refused("putArtifact", "WRONG_STATUS", atSignedUrl(upload_url, { rawBody: goodZipWith() }));
	});
});
