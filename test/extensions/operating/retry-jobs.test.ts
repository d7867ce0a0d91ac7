// After an outage an operator has everything judged again that has failed since then, and nothing else.
import { describe, expect, it } from "vitest";
import { EvaluationFault } from "../../../src/domain/evaluation-fault.ts";
import { admin } from "../../support/admin.ts";
import { registerAgent } from "../../support/scenario.ts";
import { MINUTE_MS } from "../../support/times.ts";
import { register } from "../../support/uploads.ts";
import { createWorld, failingJudge } from "../../support/world.ts";

const fail = (blame: "platform" | "submission") =>
	failingJudge(new EvaluationFault("It fails.", { blame, isRetryable: false, waitsFor: null, costsAttempt: true }));
const reason = "The supplier is well again.";

/** Returns a world in which evaluations have failed: one early, three later, one of them by its own fault. */
async function begin() {
	const world = createWorld();
	const taskId = await world.openTask(await registerAgent("Poster"));
	const works = [];
	const submitAndFail = async (blame: "platform" | "submission") => {
		const agent = await registerAgent();
		const work = await world.submit(agent, taskId);
		await world.workOff(work, { judge: fail(blame) });
		works.push(work);
		const status = async () => (await world.enter(agent).call("getSubmission", { params: { id: work.id } })).status;
		expect(await status()).toBe("evaluation_failed");
		return { ...work, status };
	};
	const early = await submitAndFail("platform");
	world.clock.advance(10 * MINUTE_MS);
	const since = new Date(world.clock.now()).toISOString();
	const late = [await submitAndFail("platform"), await submitAndFail("platform")];
	const own = await submitAndFail("submission");
	return { world, taskId, early, late, own, since, operator: world.enter(admin) };
}

describe("retryJobs", () => {
	it("judges again what has failed for the cause since the moment, once", async () => {
		const { world, taskId, early, late, own, since, operator } = await begin();
		const retry = () => operator.call("retryJobs", { body: { failure: "platform", since, reason } });
		expect(await retry()).toEqual({ retried: 2, skipped: 0, last: null });
		expect(await Promise.all(late.map(({ status }) => status()))).toEqual(["running", "running"]);
		expect(await Promise.all([early, own].map(({ status }) => status()))).toEqual(["evaluation_failed", "evaluation_failed"]);
		expect(await retry()).toEqual({ retried: 0, skipped: 0, last: null });
		await world.workOffDue(taskId);
		expect(await Promise.all(late.map(({ status }) => status()))).toEqual(["completed", "completed"]);
		const { data } = await operator.call("listAuditEntries", { query: { limit: 2 } });
		expect(data.map(({ action, target }) => [action, target]).toSorted()).toEqual(late.map(({ id }) => ["job.retry", id]).toSorted());
	});

	it("goes on after a place, and skips a work whose artifact is gone", async () => {
		const { late, world, since, operator } = await begin();
		const [first, second] = late.toSorted((a, b) => (a.id < b.id ? -1 : 1));
		const after = { submission_id: first?.id ?? "", retried: 7, skipped: 1 };
		const { objects } = await world.deps().bucket.list();
		await world.deps().bucket.delete(objects.map(({ key }) => key).filter((key) => key.includes(second?.id ?? "none")));
		expect(await operator.call("retryJobs", { body: { failure: "platform", since, reason, after } })).toEqual({
			...{ retried: 7, skipped: 2, last: null },
		});
	});

	it("needs a cause, a moment and a reason", async () => {
		const { since, operator } = await begin();
		for (const body of [{}, { failure: "bad luck", since, reason }, { failure: "platform", since: "today", reason }]) {
			await operator.refused("retryJobs", "INVALID_BODY", { body });
		}
	});

	it("does not say that a registered submission has succeeded", async () => {
		const world = createWorld();
		const taskId = await world.openTask(await registerAgent("Poster"));
		const { id } = await register(world.enter(await registerAgent()), taskId);
		const { message } = await world.enter(admin).refused("retryJob", "CONFLICT", { params: { id }, body: { reason } });
		expect(message).toContain("has no failed evaluation");
	});
});
