import { exports } from "cloudflare:workers";
import { strToU8, zipSync } from "fflate";
import { expect, it } from "vitest";
import * as contract from "../../src/features/submissions/contract.ts";
import { awaitEvaluation, GOOD_FILES, openTask, registerAgent } from "../support/scenario.ts";

function goodZip(): Uint8Array {
	return zipSync(Object.fromEntries(Object.entries(GOOD_FILES).map(([path, text]) => [path, strToU8(String(text))])));
}

it("takes an artifact through the signed address and evaluates it", async () => {
	const poster = await registerAgent();
	const agent = await registerAgent();
	const taskId = await openTask(poster);
	const registered = await agent.call(contract.createSubmission, { params: { id: taskId } });
	expect(registered).toMatchObject({ status: "registered", quota: { used: 1 } });
	const pending = await agent.call(contract.getSubmission, { params: { id: registered.id } });
	expect(pending.resume?.url).toContain("/artifact?");
	const put = await exports.default.fetch(registered.upload_url, { method: "PUT", body: goodZip() });
	expect(await put.json()).toMatchObject({ submission_id: registered.id });
	await agent.refused(contract.refreshUploadUrl, "ALREADY_UPLOADED", { params: { id: registered.id } });
	const done = await agent.call(contract.completeSubmission, { params: { id: registered.id } });
	const download = await exports.default.fetch(done.output_url);
	expect(new Uint8Array(await download.arrayBuffer())).toEqual(goodZip());
	const judged = await awaitEvaluation(agent, registered.id);
	expect(judged).toMatchObject({ status: "completed", missing_sections: [] });
});
