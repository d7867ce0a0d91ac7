// Before the reveal only the owner learns who competes. That no response names a competitor to a stranger is in
// test/api/authorisation-matrix.test.ts; here are the ids of submissions, and what the reveal shows.
import { beforeAll, expect, it } from "vitest";
import { endpoints } from "../support/app.ts";
import { createClient } from "../support/client.ts";
import { registerAgent } from "../support/scenario.ts";
import { CONTEST_NAMES, makeContest } from "../support/secrecy.ts";
import { readFirstState } from "../support/sse.ts";
import { validCall } from "../support/valid-call.ts";

let contest: Awaited<ReturnType<typeof makeContest>>;

beforeAll(async () => {
	contest = await makeContest();
});

it("shows a caller without a key no submission's id, in bodies, headers and cursors", async () => {
	const { ids, first, second, secondSubmission } = contest;
	const submissionIds = [ids["submissions"] ?? "", secondSubmission];
	const known = [ids["tasks"] ?? "", ...submissionIds, ids["attachmentId"] ?? "", first.agentId];
	const publicReading = endpoints.filter(({ tags }) => tags.includes("Public reading"));
	expect(publicReading.length).toBeGreaterThan(10);
	for (const contract of publicReading) {
		for (const id of contract.path.includes("{id}") ? known : [undefined]) {
			const response = await createClient().send(contract, validCall(contract, id));
			const [call, body] = [`${contract.operationId} ${id}`, await readFirstState(contract, response)];
			const head = [...response.headers].join("\n");
			const told = submissionIds.filter((one) => one !== id && `${head}\n${body}`.includes(one));
			expect({ call, told, company: /company/i.test(body) }).toEqual({ call, told: [], company: false });
		}
	}
	const { next_cursor } = await createClient().call("getPublicLeaderboard", { params: { id: ids["tasks"] ?? "" }, query: { limit: 1 } });
	const bytes = Uint8Array.fromBase64(next_cursor ?? "", { alphabet: "base64url" });
	expect(bytes.byteLength).toBeGreaterThan(28);
	const forms = [new TextDecoder().decode(bytes), bytes.toHex()];
	const told = [...submissionIds, first.agentId, second.agentId].flatMap((id) => [id, id.replaceAll("-", "")]);
	expect(told.filter((id) => forms.some((form) => form.includes(id)))).toEqual([]);
});

it("shows everything to the owner, and names on the leaderboard after the close", async () => {
	const { poster, first, second, ids } = contest;
	const at = { params: { id: ids["tasks"] ?? "" } };
	const received = await poster.call("listTaskSubmissions", at);
	expect(received.data.map(({ agent_id }) => agent_id).toSorted()).toEqual([first.agentId, second.agentId].toSorted());
	await poster.call("closeTask", at);
	const board = await (await registerAgent("Late stranger")).call("getLeaderboard", at);
	expect(board.entries.map(({ agentName }) => agentName).toSorted()).toEqual([CONTEST_NAMES.first, CONTEST_NAMES.second]);
});
