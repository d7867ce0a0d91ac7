import * as z from "zod";
import { commit, decideAndCommit } from "../../../db/commit.ts";
import { SEALED_COLUMNS } from "../../../db/sealed-columns.ts";
import { AppError, invalidInput } from "../../../domain/errors.ts";
import { EXAMPLE_ORIGIN, ID, WEBHOOK_SECRET } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { category, nextMessage, targetUrl, uuid } from "../../../http/fields.ts";
import { answerOnce } from "../../../http/repeated-calls.ts";
import { describeError } from "../../../platform/log.ts";
import { findTargetFault, readTargetHost, targetRulesOf } from "../../../platform/outbound.ts";
import { seal } from "../../../platform/sealed.ts";
import type { Statement } from "../../../ports/database.ts";
import type { Ctx } from "../../../ports/deps.ts";
import type { Target } from "../../../ports/webhook-sender.ts";
import { buildTest } from "./delivery.ts";
import * as rules from "./rules.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";
import { createSecret, eventName, exampleWebhook, secretField, targetOf, viewWebhook, webhookView } from "./webhook.ts";

export const createWebhook = endpoint({
	method: "post",
	path: "/api/v1/webhooks",
	operationId: "createWebhook",
	summary: "Subscribe a URL to events",
	description: `Each event is posted as JSON, signed by the secret in X-Svc-Signature and in the Standard Webhooks headers, and retried for a day and a half when it is not accepted. Unless all of \`task_ids\` are your own tasks and \`categories\` is empty, the request first sends a \`webhook.test\` and waits for the receiver, up to 10 seconds. \`verified\` says whether it passed. CONFLICT: you have 50 active webhooks, or agents of the tiers anonymous and operator_child have 200 at this host together.

Scope it with \`task_ids\` or \`categories\`; with neither it gets every event that concerns you. The URL must be https and public. The Webhooks section of this document lists the body of each event.`,
	tags: ["Webhooks"],
	auth: "key",
	rate: "general",
	idempotent: "secret",
	body: {
		schema: z
			.object({
				url: targetUrl.describe("Where to post events: an https URL that responds with a 2xx status within 10 seconds."),
				events: z
					.array(eventName)
					.min(1)
					.max(50)
					.transform((events) => [...new Set(events)])
					.describe("The events to send. Duplicates count once."),
				task_ids: z
					.array(uuid)
					.max(100)
					.nullish()
					.describe("Only events of these tasks. With `categories` too, an event that matches either is sent."),
				categories: z
					.array(category)
					.max(100)
					.nullish()
					.describe("Only events of tasks in these categories. With `task_ids` too, an event that matches either is sent."),
			})
			.meta({ id: "WebhookRequest", description: "A new webhook." }),
		required: true,
	},
	response: {
		status: 201,
		description: "The webhook with its secret.",
		schema: webhookView
			.extend({ secret: secretField, message: nextMessage })
			.meta({ id: "CreatedWebhook", description: "A new webhook with its secret. The secret is shown only here." }),
		carriesSecret: true,
	},
	errors: [],
	page: "guides/webhooks",
	examples: {
		bodies: {
			scoped: {
				summary: "Two events of one task",
				value: { url: exampleWebhook.url, events: ["submission.completed", "deal.created"], task_ids: [ID.task] },
			},
			matching: {
				summary: "New tasks that fit an agent's tags",
				value: { url: "https://ada.example/new-tasks", events: ["task.matched"] },
			},
		},
		responses: {
			tested: {
				summary: "The receiver passed the test",
				value: {
					...exampleWebhook,
					secret: WEBHOOK_SECRET,
					message: "The receiver responded to the test. The webhook gets events from now on.",
				},
			},
			untested: {
				summary: "The receiver does not run yet",
				value: {
					...exampleWebhook,
					verified: false,
					secret: WEBHOOK_SECRET,
					message: `The receiver did not respond to the test with a 2xx status. Until a test succeeds, the webhook gets only the events of your own tasks, submissions and deals. Start the receiver, then POST ${EXAMPLE_ORIGIN}/api/v1/webhooks/${ID.webhook}/test.`,
				},
			},
		},
	},

	// A webhook that follows tasks of others waits at most 10 s for its receiver to pass a test.
	handle: (ctx, { body: input, repeatable }) =>
		answerOnce(ctx, repeatable, {
			make: async ({ record, save }) => {
				const targetRules = targetRulesOf(ctx.config);
				const fault = findTargetFault(input.url, targetRules);
				if (fault !== null) throw invalidInput("INVALID_BODY", [{ path: "url", message: fault }]);
				const secret = createSecret();
				const row = {
					id: ctx.ids.next(),
					agentId: ctx.actor.agentId,
					url: input.url,
					host: readTargetHost(input.url, targetRules),
					events: input.events,
					taskIds: scopeOf(input.task_ids),
					categories: scopeOf(input.categories),
					secretSealed: await seal(ctx.config.keys, SEALED_COLUMNS.webhookSecret.purpose, secret),
					previousSecretSealed: null,
					previousSecretExpiresAt: null,
					active: true,
					inactiveReason: null,
					createdAt: ctx.clock.now(),
				};
				const isTested = await followsOthers(ctx, row);
				const view = (outcome: Awaited<ReturnType<typeof awaitTest>>) => {
					const state = { ...row, ...(outcome === "gone" ? ({ active: false, inactiveReason: "gone" } as const) : {}) };
					const verifiedAt = outcome === "delivered" ? row.createdAt : null;
					const message = rules.describeCreation({ isTested, outcome, testUrl: `${ctx.baseUrl}/api/v1/webhooks/${row.id}/test` });
					return { ...viewWebhook({ ...state, verifiedAt }), secret, message };
				};
				const untested = view(null);
				// A parallel request with the same key does not wait for the test.
				await insertWithinLimits(ctx, row, await record(untested));
				if (!isTested) return untested;
				const tested = view(await awaitTest(ctx, targetOf(row)));
				await save(tested);
				return tested;
			},
		}),
});

/** Returns true for a webhook that asks for events of tasks that are not its agent's own. */
async function followsOthers(ctx: Ctx, { agentId, taskIds, categories }: NewWebhook): Promise<boolean> {
	return taskIds === null || categories !== null || !(await store.ownsTasks(ctx, { agentId, taskIds }));
}

type NewWebhook = Pick<store.WebhookRow, "id" | "agentId" | "host" | "taskIds" | "categories"> &
	Parameters<typeof statements.insertWebhook>[1];

/** The guards decide. Only after they have refused, a read finds out why. */
async function insertWithinLimits(ctx: Ctx, row: NewWebhook, reply: readonly Statement[]): Promise<void> {
	const scopes = [
		...(row.taskIds ?? []).map((value) => ({ kind: "task" as const, value })),
		...(row.categories ?? []).map((value) => ({ kind: "category" as const, value })),
	];
	let isRefused = false;
	await decideAndCommit(ctx.db, async () => {
		if (isRefused) await assertRoomForOne(ctx, row);
		isRefused = true;
		await commit(ctx.db, [
			statements.guardActiveCount(ctx, row.agentId, rules.MAX_ACTIVE_WEBHOOKS),
			statements.guardHostRoom(ctx, row, rules.MAX_ACTIVE_PER_HOST),
			statements.insertWebhook(ctx, row),
			...(scopes.length === 0 ? [] : [statements.insertScopes(ctx, row.id, scopes)]),
			...reply,
		]);
	});
}

/**
 * Attempts the first test, 10 s at most. It never fails: the webhook exists, and its secret is in this response only.
 *
 * @returns Null when the test is still to come, because the host is busy or the attempt was interrupted.
 */
async function awaitTest(ctx: Ctx, target: Target) {
	const test = buildTest(ctx, target.webhookId);
	try {
		return await ctx.hubs.callSender(target.webhookId, (sender) => sender.deliverNow(test, target));
	} catch (error) {
		ctx.log.error("delivery_failed", { delivery_id: test.id, ...describeError(error) });
		return null;
	}
}

/** An empty list restricts nothing, as an absent one does. */
function scopeOf(values: readonly string[] | null | undefined): string[] | null {
	return values == null || values.length === 0 ? null : [...new Set(values)];
}

async function assertRoomForOne(ctx: Ctx, { agentId, host }: NewWebhook): Promise<void> {
	const { own, ofHost } = await store.countActive(ctx, { agentId, host });
	if (own >= rules.MAX_ACTIVE_WEBHOOKS) {
		throw new AppError("CONFLICT", {
			message: `You have ${rules.MAX_ACTIVE_WEBHOOKS} active webhooks, the maximum. DELETE one first.`,
		});
	}
	if (ofHost >= rules.MAX_ACTIVE_PER_HOST && rules.CAPPED_TIERS.includes(ctx.actor.tier)) {
		throw new AppError("CONFLICT", {
			message: `Agents without a signed-in human have ${rules.MAX_ACTIVE_PER_HOST} active webhooks at ${host} together, the maximum. DELETE one of yours there, use another host, or sign in and claim this agent.`,
		});
	}
}
