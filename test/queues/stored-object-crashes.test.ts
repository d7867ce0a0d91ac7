// After a crash at any step there is no row without its object, and no object without a row once the collector has run.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { workOff } from "../../src/compose/work-off.ts";
import { MINUTE_MS } from "../../src/platform/clock.ts";
import type { DirectTransfers } from "../../src/platform/direct-transfers.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { createApp } from "../support/app.ts";
import { goodZipWith } from "../support/archives.ts";
import { type CallInput, type Client, createClient, type Operation } from "../support/client.ts";
import { mortal } from "../support/mortality.ts";
import { attachmentForm, createDraft, GOOD_FILES, openTask, registerAgent, testSuiteForm } from "../support/scenario.ts";
import { collectAll, expectObjectForEveryRow, expectObjectsOfRowsOnly } from "../support/stored-objects.ts";
import { atSignedUrl, MB, putTo, register } from "../support/uploads.ts";
import { createWorld } from "../support/world.ts";

const world = createWorld();
const poster = await registerAgent("Poster");
const taskId = await openTask(poster, { max_submissions_per_agent: 25 });
const ZIP = goodZipWith();

/** Imitates the bucket's S3 interface over the binding. */
const bucketAsS3: DirectTransfers = {
	presignPut: () => Promise.reject(new Error("not asked for")),
	presignGet: (key) => Promise.resolve({ url: `https://s3.test/${key}`, token: "", path: `/${key}`, ttlMs: 1 }),
	async copy(fromKey, toKey) {
		const object = await env.BUCKET.get(fromKey);
		await env.BUCKET.put(toKey, await (object?.arrayBuffer() ?? null));
	},
};

/** Each of these is one request or message, ready to be sent. */
type Work = (deps: Deps) => Promise<unknown>;

function request(caller: Pick<Client, "key">, operation: Operation, input: () => CallInput): Work {
	return async (deps) => {
		const client = createClient({ key: caller.key, fetch: (sent) => createApp(() => deps).fetch(sent) });
		const response = await client.send(operation, input());
		await response.body?.cancel();
		return response.status;
	};
}

/** Each kind of work has preparations and the work itself. */
const WORKS: Readonly<Record<string, { readonly change?: Partial<Deps>; readonly prepare: () => Promise<Work> }>> = {
	"adding an attachment": {
		async prepare() {
			const { id } = await createDraft(poster);
			return request(poster, "addAttachment", () => ({ params: { id }, rawBody: attachmentForm() }));
		},
	},
	"deleting an attachment": {
		async prepare() {
			const { id } = await createDraft(poster);
			const { id: attachmentId } = await poster.call("addAttachment", { params: { id }, rawBody: attachmentForm() });
			return request(poster, "deleteAttachment", () => ({ params: { id, attachmentId } }));
		},
	},
	"replacing a test suite": {
		async prepare() {
			const { id } = await createDraft(poster);
			const input = () => ({ params: { id }, rawBody: testSuiteForm() });
			await poster.call("uploadTestSuite", input());
			return request(poster, "uploadTestSuite", input);
		},
	},
	"quick-submit": {
		async prepare() {
			const agent = await registerAgent();
			return request(agent, "quickSubmit", () => ({ params: { id: taskId }, body: { files: GOOD_FILES } }));
		},
	},
	"replacing an artifact by one that is stored in parts": {
		async prepare() {
			const { upload_url } = await register(await registerAgent(), taskId);
			await putTo(createClient(), upload_url, ZIP);
			return request({ key: null }, "putArtifact", () => atSignedUrl(upload_url, { rawBody: new Uint8Array(9 * MB) }));
		},
	},
	"adopting an artifact": {
		change: { directTransfers: bucketAsS3 },
		async prepare() {
			const agent = await registerAgent();
			const { id } = await register(agent, taskId);
			await env.BUCKET.put(`uploads/${id}.zip`, ZIP);
			return request(agent, "completeSubmission", () => ({ params: { id } }));
		},
	},
	"starting a dry run": {
		async prepare() {
			const { id } = await createDraft(poster);
			return request(poster, "startDryRun", () => ({ params: { id }, body: { files: GOOD_FILES } }));
		},
	},
	"judging a dry run": {
		async prepare() {
			const { id } = await createDraft(poster);
			await world.enter(poster).call("startDryRun", { params: { id }, body: { files: GOOD_FILES } });
			return (deps) => workOff(deps, id);
		},
	},
	"a case of the judge check": {
		async prepare() {
			const { id } = await createDraft(poster);
			const { config } = world.deps();
			await world.enter(poster, { config: { ...config, judgeCheck: true } }).call("publishTask", { params: { id } });
			// The check begins a little later.
			world.clock.advance(MINUTE_MS);
			await world.ring(id);
			return (deps) => workOff(deps, id);
		},
	},
	"an evaluation": {
		async prepare() {
			const id = await openTask(poster);
			await world.submit(await registerAgent(), id);
			return (deps) => workOff(deps, id);
		},
	},
};

/** Does the work in a process that dies at the step. Returns true if it died. */
async function dieAt(work: Work, change: Partial<Deps>, death: { readonly atStep: number }): Promise<boolean> {
	const own = world.deps(change);
	const dying = mortal(own, death);
	await work(dying).catch(() => {});
	await own.settled();
	return dying.hasDied();
}

describe("a process that dies at any step", () => {
	it.each(Object.entries(WORKS))("of %s leaves nothing that stays wrong", { timeout: 120_000 }, async (_, { change = {}, prepare }) => {
		let deaths = 0;
		for (let atStep = 0; await dieAt(await prepare(), change, { atStep }); atStep += 1) {
			deaths += 1;
			await expectObjectForEveryRow();
		}
		expect(deaths).toBeGreaterThanOrEqual(3);
		await collectAll();
		await expectObjectsOfRowsOnly();
	});
});
