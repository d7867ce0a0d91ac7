import * as z from "zod";
import { commit } from "../../../db/commit.ts";
import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { auditEntry, reason } from "./audit-entry.ts";
import { OBJECT_KINDS, verifyStep } from "./wake-objects.ts";

const kind = z.enum(OBJECT_KINDS).describe("The kind of Durable Object. Each task, agent and webhook has one.");

const objectPlace = z.object({
	kind,
	id: z
		.string()
		.max(100)
		.describe("The id of the last object of the step. Empty if the next step begins with the first object of this kind."),
	verified: z.int().min(0).describe("Number of objects woken by this step and the steps before it."),
});

const verifyRequest = z
	.object({ reason, after: objectPlace.optional().describe("The `last` of the previous step. Omit it in the first step.") })
	.meta({ id: "ObjectVerificationRequest", description: "A step of waking all objects." });

const verifyView = z
	.object({
		verified: z.int().min(0).describe("Number of objects woken by this step and the steps before it."),
		failures: z
			.array(
				z.object({
					kind,
					id: z.string().describe("The id of the task, agent or webhook."),
					problem: z.string().describe("The error with which the object failed twice."),
				}),
			)
			.describe("Objects of this step that do not work."),
		last: objectPlace.nullable().describe("Send this as `after` in the next step. Null after the last step."),
	})
	.meta({ id: "ObjectVerification", description: "A finished step of waking all objects." });

export const verifyObjects = endpoint({
	method: "post",
	path: "/api/admin/objects/verify",
	operationId: "verifyObjects",
	owner: "operating",
	summary: "Wake all objects and list those that fail",
	description:
		"Every task, agent and webhook has a Durable Object, which applies its migrations when it wakes. A step wakes 100 of them and lists those that fail. Send each `last` as `after` until it is null. After a deployment that migrates Durable Objects, run `npm run admin -- verify-objects`, which runs all steps for you.",
	tags: ["Administration"],
	auth: "admin",
	rate: "general",
	body: { schema: verifyRequest, required: true },
	response: { status: 200, description: "The step is done.", schema: verifyView },
	errors: [],
	page: "operating/operations",
	examples: {
		bodies: { first: { value: { reason: "The tables of tasks have changed." } } },
		responses: {
			step: {
				value: {
					verified: 100,
					failures: [{ kind: "task", id: ID.task, problem: "no such column: tier" }],
					last: { kind: "task", id: ID.task, verified: 100 },
				},
			},
		},
	},

	// The audit log has one entry for all steps, which the first step writes.
	async handle(ctx, { body: { reason, after } }) {
		if (after === undefined) {
			const act = { action: "objects.verify", target: "objects", reason, before: {}, after: {} };
			await commit(ctx.db, [auditEntry(ctx, act).statement]);
		}
		const step = await verifyStep(ctx, after ?? null);
		const verified = (after?.verified ?? 0) + step.verified;
		return { verified, failures: step.broken, last: step.last === null ? null : { ...step.last, verified } };
	},
});
