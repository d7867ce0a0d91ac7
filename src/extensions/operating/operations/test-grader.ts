import * as z from "zod";
import { openGrader } from "../../../core/judging/grader/client.ts";
import { commit } from "../../../db/commit.ts";
import { GRADER_TEST_ACTION } from "../../../domain/audit.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { auditEntry, auditId, EXAMPLE_AUDIT_ID, reason } from "../admin/audit-entry.ts";

const NO_GRADER = { state: "none" as const, message: "This deployment has no grader. Set GRADER_URL or GRADER_CONTAINER." };
/** An image that prints one line and ends. */
const TEST_IMAGE = "docker.io/library/hello-world:latest";

const testedView = z
	.object({
		state: z
			.enum(["none", "ok", "failed"])
			.describe("Whether the grader could pull an image and run it; `none` if there is no grader. `/ready` shows the last result."),
		message: z.string().describe("The grader's message."),
		audit_id: auditId,
	})
	.meta({ id: "GraderTest", description: "The result of the grader's self-test." });

export const testGrader = endpoint({
	method: "post",
	path: "/api/admin/grader/test",
	operationId: "testGrader",
	owner: "operating",
	summary: "Test the grader",
	description: `Has the grader pull \`${TEST_IMAGE}\` and run it once, which takes up to three minutes if a container has to start first.`,
	tags: ["Administration"],
	auth: "admin",
	rate: "general",
	body: { schema: z.object({ reason }).meta({ id: "GraderTestRequest", description: "Why the grader is tested." }), required: true },
	response: { status: 200, description: "The test has ended.", schema: testedView },
	errors: [],
	page: "operating/operations",
	examples: {
		bodies: { first: { value: { reason: "The container was switched on." } } },
		responses: {
			ok: {
				value: { state: "ok", message: `${TEST_IMAGE} has run with docker 29.0 and runc.`, audit_id: EXAMPLE_AUDIT_ID },
			},
		},
	},

	// The audit entry contains the result, which `/ready` shows.
	async handle(ctx, { body: { reason } }) {
		const grader = openGrader(ctx);
		const { state, message } = (await grader?.test(TEST_IMAGE)) ?? NO_GRADER;
		const entry = auditEntry(ctx, { action: GRADER_TEST_ACTION, target: "grader", reason, before: {}, after: { state } });
		await commit(ctx.db, [entry.statement]);
		return { state, message, audit_id: entry.id };
	},
});
