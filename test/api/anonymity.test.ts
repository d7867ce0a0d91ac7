// Before the reveal only the owner learns who competes. That no response names a competitor to a stranger is in
// test/api/authorisation-matrix.test.ts, and what the reveal shows in test/api/leaderboard.test.ts; here are the ids of submissions.
import { beforeAll, expect, it } from "vitest";
import { endpoints } from "../support/app.ts";
import { createClient } from "../support/client.ts";
import { makeContest } from "../support/secrecy.ts";
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
