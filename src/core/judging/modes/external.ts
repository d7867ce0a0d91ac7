// In external mode, the poster's own service judges the submission and posts the score back.
import * as z from "zod";
import { CALLBACK_TOKEN_PURPOSE } from "../../../db/encrypted-columns.ts";
import { EvaluationFault } from "../../../domain/evaluation-fault.ts";
import { redeliveryDelayMs } from "../../../domain/retries.ts";
import { timeOfTask } from "../../../domain/task-time.ts";
import { HOUR_MS, SECOND_MS, toIso } from "../../../platform/clock.ts";
import { decrypt } from "../../../platform/encryption.ts";
import { sendOutbound } from "../../../platform/outbound.ts";
import { signMessage } from "../../../platform/webhook-signature.ts";
import type { Deps } from "../../../ports/deps.ts";
import { signDownloadUrl } from "../artifacts/download-url.ts";
import { type EvaluationWork, type ModeOutcome, originFor } from "../work.ts";

export const ARTIFACT_URL_TTL_MS = 2 * HOUR_MS;
const REQUEST_TIMEOUT_MS = 10 * SECOND_MS;
const MAX_RESPONSE_BYTES = 4096;

const progressSchema = z.object({ failures: z.number().int(), isDelivered: z.boolean() });

/**
 * Asks the poster's own service to judge, and waits until it posts the score. The request is repeated on the schedule of webhooks until the
 * service has accepted it once.
 */
export async function evaluateExternally(deps: Deps, work: EvaluationWork): Promise<ModeOutcome> {
	const { failures, isDelivered } = progressSchema.catch({ failures: 0, isDelivered: false }).parse(work.job.progress);
	if (isDelivered) return { kind: "waiting", visitAgainAt: work.job.giveUpAt, progress: { failures, isDelivered } };
	const fault = await requestScore(deps, work);
	if (fault === null) {
		const waiting = "The poster's service accepted the submission but posted no score.";
		return { kind: "waiting", visitAgainAt: work.job.giveUpAt, progress: { failures, isDelivered: true }, fault: waiting };
	}
	const delayMs = redeliveryDelayMs({ number: failures + 1, random: deps.random() });
	if (delayMs === null) {
		throw new EvaluationFault(`The poster's service did not accept the submission. Last response: ${fault}`, {
			blame: "platform",
			isRetryable: false,
		});
	}
	const progress = { failures: failures + 1, isDelivered: false };
	return {
		kind: "waiting",
		visitAgainAt: deps.clock.now() + delayMs,
		progress,
		fault: `The poster's service did not accept the submission: ${fault}`,
	};
}

/** Requests a score from the poster's service. Returns null after a 2xx response. Otherwise returns what went wrong. */
async function requestScore(deps: Deps, work: EvaluationWork): Promise<string | null> {
	const { task } = work;
	if (task.evalCallbackUrl === null || task.evalCallbackTokenEncrypted === null) {
		throw new EvaluationFault("The task has no URL for its judge.", { blame: "platform", isRetryable: false });
	}
	const token = await decrypt(deps.config.keys, CALLBACK_TOKEN_PURPOSE, task.evalCallbackTokenEncrypted);
	const body = JSON.stringify(await describeRequest(deps, work, token));
	const signature = await signMessage({ id: work.job.id, now: deps.clock.now(), body, secret: token });
	const response = await sendOutbound(deps, {
		url: task.evalCallbackUrl,
		headers: { "Content-Type": "application/json", "X-Svc-Event": "external_eval_request", "X-Svc-Delivery": work.job.id, ...signature },
		body,
		timeoutMs: REQUEST_TIMEOUT_MS,
		maxResponseBytes: MAX_RESPONSE_BYTES,
	});
	if (response.kind === "failed") return response.message;
	return response.status >= 200 && response.status < 300 ? null : `status ${response.status}`;
}

async function describeRequest(deps: Deps, { task, criteria, submission, job }: EvaluationWork, callbackToken: string) {
	const { id: submissionId, artifactKey } = submission;
	const origin = originFor(deps, job);
	const expiresAt = deps.clock.now() + ARTIFACT_URL_TTL_MS;
	return {
		event: "external_eval_request",
		submission_id: submissionId,
		task_id: task.id,
		agent_id: submission.agentId,
		callback_token: callbackToken,
		callback_url: `${origin}/api/v1/submissions/${submissionId}/external-score`,
		artifact_url: await signDownloadUrl(deps, { origin, submissionId, artifactKey, expiresAt, holder: task.companyId }),
		artifact_expires_at: toIso(expiresAt),
		task: {
			id: task.id,
			title: task.title,
			description: task.description,
			input_spec: task.inputSpec ?? "",
			output_spec: task.outputSpec ?? "",
			criteria: criteria.map(({ name, description, weight }) => ({ name, description, weight })),
		},
		timestamp: toIso(timeOfTask(task, deps.clock.now())),
		...(task.isTest ? { test: true } : {}),
	};
}
