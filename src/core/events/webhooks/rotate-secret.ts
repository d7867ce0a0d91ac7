import * as z from "zod";
import { commit, decideAndCommit } from "../../../db/commit.ts";
import { guardNotEnded } from "../../../db/credential-ends.ts";
import { ENCRYPTED_COLUMNS } from "../../../db/encrypted-columns.ts";
import { ID, WEBHOOK_SECRET } from "../../../domain/example-story.ts";
import { assertNotEnded } from "../../../http/authenticate.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams, timestamp } from "../../../http/fields.ts";
import { DAY_MS, toIso } from "../../../platform/clock.ts";
import { encrypt } from "../../../platform/encryption.ts";
import { changeWebhook, guardSecret, takeOver } from "./statements.ts";
import { assertActive, createSecret, getOwnWebhook, refreshSender, secretField } from "./webhook.ts";

export const SECRET_OVERLAP_MS = DAY_MS;

export const rotateWebhookSecret = endpoint({
	method: "post",
	path: "/api/v1/webhooks/{id}/rotate-secret",
	operationId: "rotateWebhookSecret",
	summary: "Replace a webhook's secret",
	description:
		"Deliveries are signed with the new secret from now on. For 24 hours, they are also signed with the old one: as the second signature in webhook-signature, and in X-Svc-Signature-Previous. The webhook is now tied to this request's credential and ends with it.",
	tags: ["Webhooks"],
	auth: "key",
	rate: "general",
	params: idParams,
	response: {
		status: 200,
		description: "The new secret.",
		schema: z.object({
			id: z.uuid().describe("The id of the webhook."),
			secret: secretField,
			previous_secret_expires_at: timestamp.describe("Until this time, deliveries are also signed with the previous secret."),
		}),
		carriesSecret: true,
	},
	errors: ["NOT_FOUND", "CONFLICT"],
	page: "guides/webhooks",
	examples: {
		params: { id: ID.webhook },
		responses: {
			rotated: { value: { id: ID.webhook, secret: WEBHOOK_SECRET, previous_secret_expires_at: "2026-12-03T12:00:00.000Z" } },
		},
	},

	// Only the secret that was just replaced continues to sign. Older secrets stop signing at once, even within their 24 hours.
	handle: (ctx, { params: { id } }) => {
		let isRefused = false;
		return decideAndCommit(ctx.db, async () => {
			if (isRefused) await assertNotEnded(ctx);
			isRefused = true;
			const webhook = assertActive(await getOwnWebhook(ctx, id));
			const secret = createSecret();
			const expiresAt = ctx.clock.now() + SECRET_OVERLAP_MS;
			await commit(ctx.db, [
				guardNotEnded(ctx, ctx.actor),
				guardSecret(ctx, webhook),
				takeOver(ctx, id),
				changeWebhook(ctx, id, {
					secretEncrypted: await encrypt(ctx.config.keys, ENCRYPTED_COLUMNS.webhookSecret.purpose, secret),
					previousSecretEncrypted: webhook.secretEncrypted,
					previousSecretExpiresAt: expiresAt,
				}),
			]);
			await refreshSender(ctx, id);
			return { id, secret, previous_secret_expires_at: toIso(expiresAt) };
		});
	},
});
