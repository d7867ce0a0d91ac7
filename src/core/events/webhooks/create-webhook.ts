import * as z from "zod";
import { commit, decideAndCommit } from "../../../db/commit.ts";
import { guardNotEnded } from "../../../db/credential-ends.ts";
import { ENCRYPTED_COLUMNS } from "../../../db/encrypted-columns.ts";
import { EXAMPLE_ORIGIN, ID, WEBHOOK_SECRET } from "../../../domain/example-story.ts";
import { assertNotEnded } from "../../../http/authenticate.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { nextMessage } from "../../../http/fields.ts";
import { answerOnce } from "../../../http/repeated-calls.ts";
import { encrypt } from "../../../platform/encryption.ts";
import { readTargetHost, targetRulesOf } from "../../../platform/outbound.ts";
import type { Statement } from "../../../ports/database.ts";
import type { Ctx } from "../../../ports/deps.ts";
import * as rules from "./rules.ts";
import * as statements from "./statements.ts";
import type { WebhookRow } from "./store.ts";
import {
	assertTarget,
	awaitTest,
	createSecret,
	exampleWebhook,
	explainRefusal,
	followsOthers,
	scopeOf,
	scopesOf,
	secretField,
	targetOf,
	viewWebhook,
	webhookFields,
	webhookView,
} from "./webhook.ts";

export const createWebhook = endpoint({
	method: "post",
	path: "/api/v1/webhooks",
	operationId: "createWebhook",
	summary: "Subscribe a URL to events",
	description: `Each event is posted as JSON. X-Svc-Signature and the Standard Webhooks headers contain its signature. If your receiver does not accept an event, the event is retried for a day and a half. Unless all of \`task_ids\` are your own tasks and \`categories\` is empty, this request first sends the receiver a \`webhook.test\` and waits up to 10 seconds for its response. \`verified\` says whether the receiver passed the test. Returns CONFLICT if you have 50 active webhooks, or if all agents of the tiers anonymous and operator_child together have 200 active webhooks at this host.

The webhook ends with the API key or connection that created it, unless a person created it in a session. Limit it with \`task_ids\` or \`categories\`; without either, the webhook gets every event that concerns you. The URL must be https and public. The Webhooks section of this document lists the body of each event.`,
	tags: ["Webhooks"],
	auth: "key",
	rate: "general",
	idempotent: "secret",
	body: {
		schema: z
			.object({
				url: webhookFields.url,
				events: webhookFields.events,
				task_ids: webhookFields.taskIds
					.nullish()
					.describe("Only events of these tasks. If you also set `categories`, an event needs to match only one of the two."),
				categories: webhookFields.categories
					.nullish()
					.describe("Only events of tasks in these categories. If you also set `task_ids`, an event needs to match only one of the two."),
				format: webhookFields.format.default("standard"),
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
				summary: "The receiver is not running yet",
				value: {
					...exampleWebhook,
					verified: false,
					secret: WEBHOOK_SECRET,
					message: `The receiver did not respond to the test with a 2xx status. Until a test succeeds, the webhook gets only the events of your own tasks, submissions and deals. Start or repair the receiver, then POST ${EXAMPLE_ORIGIN}/api/v1/webhooks/${ID.webhook}/test.`,
				},
			},
		},
	},

	// If a webhook of the format `standard` follows tasks of others, waits up to 10 s for the test of its receiver.
	handle: (ctx, { body: input, repeatable }) =>
		answerOnce(ctx, repeatable, {
			make: async ({ record, save }) => {
				const targetRules = targetRulesOf(ctx.config);
				assertTarget(ctx, input.url);
				const secret = createSecret();
				const row = {
					id: ctx.ids.next(),
					agentId: ctx.actor.agentId,
					url: input.url,
					host: readTargetHost(input.url, targetRules),
					events: input.events,
					taskIds: scopeOf(input.task_ids),
					categories: scopeOf(input.categories),
					format: input.format,
					origin: ctx.baseUrl,
					secretEncrypted: await encrypt(ctx.config.keys, ENCRYPTED_COLUMNS.webhookSecret.purpose, secret),
					previousSecretEncrypted: null,
					previousSecretExpiresAt: null,
					active: true,
					inactiveReason: null,
					createdAt: ctx.clock.now(),
				};
				const isTested = row.format === "standard" && (await followsOthers(ctx, row));
				const view = (outcome: Awaited<ReturnType<typeof awaitTest>>) => {
					const state = { ...row, ...(outcome === "gone" ? ({ active: false, inactiveReason: "gone" } as const) : {}) };
					const verifiedAt = outcome === "verified" ? row.createdAt : null;
					const message = rules.describeCreation({ isTested, outcome, testUrl: `${ctx.baseUrl}/api/v1/webhooks/${row.id}/test` });
					return { ...viewWebhook({ ...state, verifiedAt }), secret, message };
				};
				const untested = view(null);
				// A parallel request with the same Idempotency-Key gets this response, without waiting for the test.
				await insertWithinLimits(ctx, row, await record(untested));
				if (!isTested) return untested;
				const tested = view(await awaitTest(ctx, targetOf(row)));
				await save(tested);
				return tested;
			},
		}),
});

/** The guards in the commit enforce the limits. A read is needed only to explain why they rejected the webhook. */
async function insertWithinLimits(
	ctx: Ctx,
	row: Parameters<typeof statements.insertWebhook>[1] & Pick<WebhookRow, "id" | "agentId" | "host" | "url" | "taskIds" | "categories">,
	reply: readonly Statement[],
): Promise<void> {
	const scopes = scopesOf(row);
	let isRefused = false;
	await decideAndCommit(ctx.db, async () => {
		if (isRefused) {
			await assertNotEnded(ctx);
			await explainRefusal(ctx, row, { isNew: true });
		}
		isRefused = true;
		await commit(ctx.db, [
			guardNotEnded(ctx, ctx.actor),
			statements.guardActiveCount(ctx, row.agentId, rules.MAX_ACTIVE_WEBHOOKS),
			statements.guardHostRoom(ctx, row, rules.MAX_ACTIVE_PER_HOST),
			statements.insertWebhook(ctx, row),
			...(scopes.length === 0 ? [] : [statements.insertScopes(ctx, row.id, scopes)]),
			...reply,
		]);
	});
}
