import * as z from "zod";
import type { ModelJudgeSettings } from "../../../config/judge-settings.ts";
import { beginProbe } from "../../../core/competition/spend/service.ts";
import { isFit, type ModelTest, storeVerdicts, testModel } from "../../../core/judging/engine/model-tests.ts";
import { estimateProbes, PROBE_CALLS } from "../../../core/judging/engine/probe.ts";
import { FIRST_PROBES } from "../../../core/judging/engine/probe-record.ts";
import { commit } from "../../../db/commit.ts";
import { AppError, invalidInput } from "../../../domain/errors.ts";
import { EvaluationFault } from "../../../domain/evaluation-fault.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { count } from "../../../http/fields.ts";
import type { AdminCtx } from "../../../ports/deps.ts";
import { auditEntry, auditId, EXAMPLE_AUDIT_ID, reason } from "../admin/audit-entry.ts";

const share = z.number().min(0).max(1);

const verdictView = z
	.object({
		role: z.enum(["judge", "confirmer"]).describe("`judge` judges submissions. `confirmer` confirms the judge's quotes."),
		fit: z.boolean().nullable().describe("Whether the model passed. Null if calls failed."),
		accuracy: share
			.nullable()
			.describe(
				"The mean of two shares of right answers: for samples that do what is asked, and for samples that only claim to. Null if calls failed.",
			),
		real_quotes: share
			.nullable()
			.describe("The share of positive answers whose quote is in the files. Null for a confirmer, and if there are no positive answers."),
		reason: z.string().nullable().describe("Why the model failed. Null if it passed."),
	})
	.meta({ id: "ModelVerdict", description: "Whether a model can judge or confirm quotes." });

const modelTestView = z
	.object({
		model: z.string().describe("The model, as JUDGE_MODELS names it."),
		fit: z.boolean().describe("Whether the model may judge and confirm."),
		verdicts: z.array(verdictView).describe("The result for each role."),
		takes: z
			.object({
				format: z.enum(["json_schema", "json_object", "text"]).describe("The form of replies that its server enforces."),
				limit_field: z
					.enum(["both", "max_tokens", "max_completion_tokens"])
					.describe("The request fields that limit the length of a reply. `both` means that both fields are sent."),
				streams: z.boolean().describe("Whether its server streams replies."),
				characters: count.nullable().describe("How many characters of task and files fit in a call. Null if calls have failed."),
			})
			.describe("What the model's server accepts."),
		fault: z
			.object({
				message: z.string().describe("The reason."),
				supplier_words: z.string().nullable().describe("The supplier's own error message, with any keys removed. Null if it sent none."),
			})
			.nullable()
			.describe("Why calls have failed. Null if none has."),
		calls: count.describe("Calls that were answered."),
	})
	.meta({ id: "ModelTest", description: "The result of testing a model." });

export const testJudge = endpoint({
	method: "post",
	path: "/api/admin/judge/test",
	operationId: "testJudge",
	owner: "operating",
	summary: "Test a model of the judge",
	description:
		"Asks one of the configured models about six pairs of small test submissions with known answers, three times as a judge and three times as a model that confirms quotes. Then sends one call of the maximum size. On a slow server, this takes minutes. The result applies at once to evaluations that wait for the model. The cost counts towards the deployment's ceiling for the day.",
	tags: ["Administration"],
	auth: "admin",
	rate: "general",
	body: {
		schema: z
			.object({
				reason,
				model: z.string().min(1).max(200).optional().describe("The model to test. Default: the first that is configured."),
			})
			.meta({ id: "JudgeTestRequest", description: "The model to test, and the reason." }),
		required: true,
	},
	response: {
		status: 200,
		description: "The test has ended.",
		schema: z
			.object({
				test: modelTestView.nullable().describe("Null if the deployment's judge does not use a model."),
				next_model: z.string().nullable().describe("The configured model after this one. Null for the last."),
				audit_id: auditId,
			})
			.meta({ id: "JudgeTest", description: "The result of testing a model." }),
	},
	errors: ["CONFLICT"],
	page: "operating/model-suppliers",
	examples: {
		bodies: { first: { value: { reason: "The server was updated." } } },
		responses: {
			fit: {
				value: {
					test: {
						model: "openai:gpt-5.2",
						fit: true,
						verdicts: [
							{ role: "judge", fit: true, accuracy: 0.97, real_quotes: 1, reason: null },
							{ role: "confirmer", fit: true, accuracy: 1, real_quotes: null, reason: null },
						],
						takes: { format: "json_schema", limit_field: "max_completion_tokens", streams: true, characters: 120_000 },
						fault: null,
						calls: 73,
					},
					next_model: null,
					audit_id: EXAMPLE_AUDIT_ID,
				},
			},
		},
	},

	async handle(ctx, { body }) {
		const settings = ctx.config.judge?.kind === "openai" ? ctx.config.judge : null;
		const models = settings === null ? [] : modelsOf(settings);
		const model = body.model ?? models[0] ?? null;
		if (body.model !== undefined && !models.includes(body.model)) {
			throw invalidInput("INVALID_BODY", [{ path: "model", message: "is not a model of this deployment's judge" }]);
		}
		const test = settings === null || model === null ? null : await testAndStore(ctx, settings, model);
		const after = { model, fit: test === null ? null : isFit(test) };
		const entry = auditEntry(ctx, { action: "judge.test", target: "judge", reason: body.reason, before: {}, after });
		await commit(ctx.db, [entry.statement]);
		const next = model === null ? undefined : models[models.indexOf(model) + 1];
		return { test: test === null ? null : viewTest(test), next_model: next ?? null, audit_id: entry.id };
	},
});

/** Lists each model once: first those that judge, beginning with the screening model, then one that only confirms. */
function modelsOf({ models, screeningModel, confirmModel }: ModelJudgeSettings): string[] {
	const named = [...(screeningModel === undefined ? [] : [screeningModel]), ...models, ...(confirmModel === null ? [] : [confirmModel])];
	return [...new Set(named)];
}

const NO_ROOM =
	"The test would exceed the deployment's spending ceiling for today. Raise it with PUT /api/admin/spend/ceilings, or test the model after midnight UTC.";

/**
 * Tests a model and stores the verdicts, which count for evaluations like those of a regular probe.
 *
 * @throws AppError `CONFLICT` if the deployment's ceiling for the day has no room.
 */
async function testAndStore(ctx: AdminCtx, settings: ModelJudgeSettings, model: string): Promise<ModelTest> {
	const estimate = estimateProbes({ settings }, model, 2 * FIRST_PROBES * PROBE_CALLS);
	const { settle, onCall } = await beginProbe(ctx, estimate).catch((error: unknown) => {
		throw error instanceof EvaluationFault ? new AppError("CONFLICT", { message: NO_ROOM, cause: error }) : error;
	});
	try {
		const test = await testModel({ clock: ctx.clock, fetch: ctx.fetch }, settings, model);
		test.calls.forEach(onCall);
		await storeVerdicts(ctx, test);
		return test;
	} finally {
		await settle();
	}
}

function viewTest(test: ModelTest): z.output<typeof modelTestView> {
	const { model, roles, form, room, fault, calls } = test;
	return {
		model,
		fit: isFit(test),
		verdicts: roles.map(({ role, verdict }) => ({
			role,
			fit: verdict?.isFit ?? null,
			accuracy: verdict?.accuracy ?? null,
			real_quotes: verdict?.realQuotes ?? null,
			reason: verdict === null || verdict.reason === "" ? null : verdict.reason,
		})),
		takes: { format: form.format, limit_field: form.limit, streams: form.isStreamed, characters: room },
		fault: fault === null ? null : { message: fault.message, supplier_words: fault.supplierWords },
		calls: calls.length,
	};
}
