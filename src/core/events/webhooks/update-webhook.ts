import * as z from "zod";
import { commit, decideAndCommit } from "../../../db/commit.ts";
import { guardNotEnded } from "../../../db/credential-ends.ts";
import { ID } from "../../../domain/example-story.ts";
import { assertNotEnded } from "../../../http/authenticate.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams } from "../../../http/fields.ts";
import { readTargetHost, targetRulesOf } from "../../../platform/outbound.ts";
import type { Statement } from "../../../ports/database.ts";
import type { Ctx } from "../../../ports/deps.ts";
import * as rules from "./rules.ts";
import * as statements from "./statements.ts";
import type { WebhookRow } from "./store.ts";
import {
	assertTarget,
	awaitTest,
	exampleWebhook,
	explainRefusal,
	followsOthers,
	getOwnWebhook,
	refreshSender,
	scopeOf,
	scopesOf,
	targetOf,
	viewWebhook,
	webhookFields,
	webhookNotFound,
	webhookView,
} from "./webhook.ts";

const updateWebhookRequest = z
	.object({
		url: webhookFields.url.optional(),
		events: webhookFields.events.optional(),
		task_ids: webhookFields.taskIds.nullish().describe("Only events of these tasks. Null removes the limit."),
		categories: webhookFields.categories.nullish().describe("Only events of tasks in these categories. Null removes the limit."),
		format: webhookFields.format.optional(),
		active: z
			.boolean()
			.optional()
			.describe(
				"False pauses the webhook. True resumes a webhook that is paused, or that was deactivated because its receiver failed or responded with 410, or because the credential that it depended on has ended.",
			),
	})
	.meta({ id: "UpdateWebhookRequest", description: "Changes to a webhook. Fields that you leave out stay as they are." });

export const updateWebhook = endpoint({
	method: "patch",
	path: "/api/v1/webhooks/{id}",
	operationId: "updateWebhook",
	summary: "Change a webhook",
	description: [
		"Changes the fields that you send. The secret stays the same. A deleted webhook returns 404.",
		"If you send `url` or `active: true`, the webhook is tied to this request's credential from then on and ends with it.",
		"After a new `url` or `format`, or a wider scope that includes other agents' tasks, a new test is needed: this request then sends the receiver a `webhook.test` and waits up to 10 seconds for its response. `verified` says whether the receiver passed the test.",
	].join("\n\n"),
	tags: ["Webhooks"],
	auth: "key",
	rate: "general",
	params: idParams,
	body: { schema: updateWebhookRequest, required: true },
	response: { status: 200, description: "The webhook, without its secret.", schema: webhookView },
	errors: ["NOT_FOUND", "CONFLICT"],
	page: "guides/webhooks",
	examples: {
		params: { id: ID.webhook },
		bodies: {
			moved: { summary: "Another receiver", value: { url: "https://hooks.harbour.example/v2/bounties" } },
			paused: { summary: "No events for now", value: { active: false } },
		},
		responses: { changed: { value: exampleWebhook } },
	},

	async handle(ctx, { params: { id }, body }) {
		if (body.url !== undefined) assertTarget(ctx, body.url);
		let isRefused = false;
		const changed = await decideAndCommit(ctx.db, async () => {
			const webhook = await getOwnWebhook(ctx, id);
			if (webhook.inactiveReason === "deleted") throw webhookNotFound();
			const change = await changesOf(ctx, webhook, body);
			const row = { ...webhook, ...change };
			if (isRefused) await explainChange(ctx, webhook, row);
			isRefused = true;
			const isTakenOver = body.url !== undefined || body.active === true;
			await commit(ctx.db, [
				...guardsOf(ctx, webhook, row),
				// Does not write the whole row: other columns, such as the secret, are not guarded and may have changed since.
				statements.changeWebhook(ctx, id, change),
				...(isTakenOver ? [statements.takeOver(ctx, id)] : []),
				statements.deleteScopes(ctx, id),
				statements.insertScopes(ctx, id, scopesOf(row)),
			]);
			const isRenewed = row.active && (!webhook.active || row.url !== webhook.url);
			return { row, isRenewed };
		});
		await refreshSender(ctx, id, changed);
		return viewWebhook(await testIfRequired(ctx, changed.row));
	},
});

/** Returns true if the change adds an active webhook to its host: it reactivates the webhook, or moves it to another host. */
function isEntering(webhook: WebhookRow, row: WebhookRow): boolean {
	return row.active && (!webhook.active || row.host !== webhook.host);
}

function guardsOf(ctx: Ctx, webhook: WebhookRow, row: WebhookRow): Statement[] {
	return [
		guardNotEnded(ctx, ctx.actor),
		statements.guardUnchanged(ctx, webhook),
		...(row.active && !webhook.active ? [statements.guardActiveCount(ctx, row.agentId, rules.MAX_ACTIVE_WEBHOOKS)] : []),
		...(isEntering(webhook, row) ? [statements.guardHostRoom(ctx, row, rules.MAX_ACTIVE_PER_HOST)] : []),
	];
}

/** Throws the reason why a guard of {@link guardsOf} failed. Returns if the only reason is that another request changed the webhook. */
async function explainChange(ctx: Ctx, webhook: WebhookRow, row: WebhookRow): Promise<void> {
	await assertNotEnded(ctx);
	if (isEntering(webhook, row)) await explainRefusal(ctx, row, { isNew: !webhook.active });
}

/** Returns the columns to write. A webhook with another receiver or a wider scope must be verified again. */
async function changesOf(
	ctx: Ctx,
	webhook: WebhookRow,
	{ url, events, task_ids, categories, format, active }: z.output<typeof updateWebhookRequest>,
) {
	const change = {
		url: url ?? webhook.url,
		host: url === undefined ? webhook.host : readTargetHost(url, targetRulesOf(ctx.config)),
		events: events ?? webhook.events,
		taskIds: task_ids === undefined ? webhook.taskIds : scopeOf(task_ids),
		categories: categories === undefined ? webhook.categories : scopeOf(categories),
		format: format ?? webhook.format,
		...(active === undefined ? {} : { active, inactiveReason: active ? null : (webhook.inactiveReason ?? ("paused" as const)) }),
	};
	const isMoved = change.url !== webhook.url || change.format !== webhook.format;
	const isWider = rules.isWiderScope(webhook, change) && (await followsOthers(ctx, { ...webhook, ...change }));
	return isMoved || isWider ? { ...change, verifiedAt: null } : change;
}

/**
 * If an active webhook of the format `standard` follows tasks of others and is not verified, waits up to 10 s for the test of its receiver.
 */
async function testIfRequired(ctx: Ctx, row: WebhookRow): Promise<WebhookRow> {
	const isTested = row.active && row.verifiedAt === null && row.format === "standard" && (await followsOthers(ctx, row));
	if (!isTested) return row;
	await awaitTest(ctx, targetOf(row));
	return getOwnWebhook(ctx, row.id);
}
