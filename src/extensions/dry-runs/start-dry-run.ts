import { and, desc, eq, gt, sql } from "drizzle-orm";
import * as z from "zod";
import { enqueueJob, timeLimitMs } from "../../core/competition/judgements/jobs.ts";
import { filesInput } from "../../core/competition/submissions/files-input.ts";
import { hashFiles } from "../../core/competition/submissions/quick-submit.ts";
import { assertJudgeable } from "../../core/competition/tasks/rules.ts";
import { readCriteria, readOwnTask, touchDraft } from "../../core/competition/tasks/store.ts";
import { storeThenRefer, trialKey } from "../../core/competition/tasks/stored-objects.ts";
import { findPayer } from "../../core/identity/network-caps/payer.ts";
import { parseFiles } from "../../core/judging/artifacts/rules.ts";
import { admittingVerb, repeatableVerb } from "../../db/task/replies.ts";
import { type TrialRow, trials } from "../../db/task/schema/judging.ts";
import { type TaskRow, tasks } from "../../db/task/schema/task.ts";
import { EXAMPLE_ORIGIN, ID } from "../../domain/example-story.ts";
import { LARGEST_BODY_LIMIT_BYTES } from "../../http/body.ts";
import { endpoint } from "../../http/endpoint.ts";
import { idParams, oneLineText, score, text } from "../../http/fields.ts";
import { replyWith } from "../../http/repeated-calls.ts";
import { partOf } from "../../platform/ids.ts";
import type { TaskStore } from "../../ports/task.ts";
import { dryRunId, exampleListedDryRun, isDryRun } from "./dry-run.ts";
import * as rules from "./rules.ts";
import { countOtherReferences, storeTrialFiles } from "./trials.ts";

export const startDryRun = endpoint({
	method: "post",
	path: "/api/v1/tasks/{id}/dry-run",
	operationId: "startDryRun",
	owner: "dry-runs",
	summary: "Have files judged without submitting them",
	description: [
		"The task's owner can do this until the task is closed, even while it is a draft. The files are judged like a submission. Only you see the run: it does not use a slot, and does not appear on the leaderboard or in lists and events. A task gets 20 dry runs in 24 hours, not counting runs that the platform could not judge.",
		"`files` has the same format as in quick-submit. `expected` contains your own scores for some or all criteria.",
	].join("\n\n"),
	tags: ["Poster"],
	auth: "key",
	rate: "submission",
	idempotent: true,
	params: idParams,
	body: {
		schema: z
			.object({
				files: filesInput,
				label: oneLineText({ min: 1, max: 100 }).nullish().describe("A name for the run, to distinguish it from others."),
				expected: z
					.record(text({ min: 1, max: 200 }), score)
					.refine((scores) => Object.keys(scores).length > 0, "must name a criterion")
					.nullish()
					.meta({
						description:
							"The scores that you would give, keyed by criterion name. The run then shows how far the judge's scores are from yours.",
						minProperties: 1,
					}),
				reference: z
					.boolean()
					.default(false)
					.describe(
						"Whether the run is a case of the judge check that runs after publishing. The judge must then come close to the scores that you expect. The judge never sees this run while judging submissions. Requires `expected` and a draft. A task can have at most 4.",
					),
			})
			.refine(({ reference, expected }) => !reference || (expected ?? null) !== null, {
				path: ["reference"],
				message: "needs a dry run with expected scores",
			})
			.meta({ id: "DryRunRequest", description: "Files to judge that do not compete." }),
		required: true,
		maxBytes: LARGEST_BODY_LIMIT_BYTES,
	},
	response: {
		status: 202,
		description: "The judging is queued.",
		schema: z.object({
			id: dryRunId,
			status: z.literal("running").describe("The files are being judged."),
			poll_url: z.url().describe("The URL of the run. Poll it with your key every 5 seconds while its status is `running`."),
		}),
	},
	errors: ["NOT_FOUND", "FORBIDDEN", "TASK_CLOSED", "WRONG_EVAL_MODE", "INVALID_WEIGHTS", "BAD_REQUEST", "RATE_LIMITED", "CONFLICT"],
	page: "guides/dry-runs",
	examples: {
		params: { id: ID.task },
		bodies: {
			labelled: {
				value: {
					files: { "SUBMISSION.md": "## What I Built\nA parser for four of the five banks.\n", "src/ledger.py": "import csv, sys\n" },
					label: exampleListedDryRun.label,
					expected: exampleListedDryRun.expected,
				},
			},
		},
		responses: { queued: { value: { id: ID.dryRun, status: "running", poll_url: `${EXAMPLE_ORIGIN}/api/v1/dry-runs/${ID.dryRun}` } } },
	},

	// The task is checked before the files are stored, and again when the run is stored.
	async handle(ctx, { params, body, repeatable: call }) {
		const { agentId } = ctx.actor;
		const files = parseFiles(body.files);
		const request = { by: agentId, hasJudge: ctx.judge !== null, expected: body.expected ?? null, reference: body.reference };
		const repeatable =
			call === null ? null : { ...call, requestHash: await hashFiles(files, body.label ?? null, body.expected ?? null, body.reference) };
		const reply = ({ id }: { readonly id: string }) => ({
			id,
			status: "running" as const,
			poll_url: `${ctx.baseUrl}/api/v1/dry-runs/${id}`,
		});
		const earlier = await admitDryRun(ctx, params.id, { repeatable, input: request });
		if (earlier !== null) return replyWith(reply(earlier.output), earlier);
		const id = ctx.ids.nextIn(partOf(params.id));
		const key = trialKey(params.id, id);
		const stored = await storeThenRefer(ctx, { key, store: () => storeTrialFiles(ctx, key, files) }, async (packed) => {
			const { ofDay: payer } = await findPayer(ctx, params.id);
			const input = { ...request, id, run: { name: body.label ?? null, ...packed }, origin: ctx.baseUrl, payer };
			return storeDryRun(ctx, params.id, { repeatable, input });
		});
		if (stored.isRepeated) ctx.background(ctx.bucket.delete(key));
		return replyWith(reply(stored.output), stored);
	},
});

interface DryRunRequest {
	readonly by: string;
	readonly hasJudge: boolean;
	readonly expected: rules.ExpectedScores | null;
	readonly reference: boolean;
}

/** Stores a dry run and queues its judging. A repeated call returns the first call's run. */
const storeDryRun = repeatableVerb(
	"storeDryRun",
	(
		store,
		{
			id,
			run,
			origin,
			payer,
			...request
		}: DryRunRequest & {
			readonly id: string;
			readonly run: Pick<TrialRow, "name" | "artifactKey" | "artifactSha256" | "missingSections">;
			readonly origin: string;
			/** The payer whose daily ceiling the run counts towards. */
			readonly payer: string;
		},
	) => {
		if (store.db.select({ id: trials.id }).from(trials).where(eq(trials.id, id)).get() !== undefined) return { id };
		const task = assertAdmitted(store, request);
		// A grader downloads the files from the task's origin, which a draft does not have yet.
		if (task.origin === "") store.db.update(tasks).set({ origin }).run();
		store.db
			.insert(trials)
			// Real time, so that moving a test task's clock forward does not allow more runs.
			.values({ ...run, id, kind: "dry_run", expected: request.expected, reference: request.reference, createdAt: store.realNow })
			.run();
		const pays = { party: task.companyId, fund: "poster", payer } as const;
		enqueueJob(store, { kind: "dry_run", subjectId: id, ...pays, giveUpAt: store.now + timeLimitMs(store, task) });
		store.markLocated(id);
		touchDraft(store);
		return { id };
	},
);

const admitDryRun = admittingVerb("admitDryRun", storeDryRun, (task, request: DryRunRequest) => {
	assertAdmitted(task, request);
});

/** Checks that the task can have this dry run. @throws AppError with the codes of the `assert…` functions in rules.ts. */
function assertAdmitted(store: TaskStore, { by, hasJudge, expected, reference }: DryRunRequest): TaskRow {
	const task = readOwnTask(store, by);
	const criteria = readCriteria(store);
	rules.assertCanDryRun(task, criteria);
	assertJudgeable(task.evalMode, task.isTest || hasJudge);
	rules.assertRunsLeft(findBlocking(store), store.realNow);
	rules.assertKnownExpectations(expected ?? undefined, criteria);
	if (reference) rules.assertCanRefer(task, { expected, others: countOtherReferences(store, "") });
	return task;
}

/**
 * Returns when the oldest of the runs that fill the window was made, or null while there is room. A run does not count if the platform
 * failed to judge it.
 */
function findBlocking({ db, realNow }: TaskStore): number | null {
	const isCounted = and(
		isDryRun,
		gt(trials.createdAt, realNow - rules.DRY_RUN_WINDOW_MS),
		sql`coalesce(${trials.blame}, '') <> 'platform'`,
	);
	const oldest = db
		.select({ createdAt: trials.createdAt })
		.from(trials)
		.where(isCounted)
		.orderBy(desc(trials.createdAt), desc(trials.id))
		.limit(1)
		.offset(rules.MAX_DRY_RUNS - 1)
		.get();
	return oldest?.createdAt ?? null;
}
