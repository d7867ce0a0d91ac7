import * as z from "zod";
import type { CriterionRow, TaskRow } from "../../../db/task/schema/task.ts";
import { isVerifiedTier } from "../../../domain/actor.ts";
import type { JudgeIdentity } from "../../../domain/evaluation-rounds.ts";
import { ID, TASK } from "../../../domain/example-story.ts";
import { MODES } from "../../../domain/modes.ts";
import { isInvited, TASK_TRANSITIONS, taskStatus } from "../../../domain/task-status.ts";
import type { TaskWarning } from "../../../domain/task-warnings.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams, taskId } from "../../../http/fields.ts";
import type { Ctx } from "../../../ports/deps.ts";
import type { Judge } from "../../../ports/judge.ts";
import { taskVerb } from "../../../ports/task.ts";
import { isSuspendedNow } from "../../identity/agents/store.ts";
import { findPayer } from "../../identity/network-caps/payer.ts";
import { commitUse } from "../../identity/network-caps/service.ts";
import { cutWarnings, evidenceWarnings, fewChecksWarnings, lintWarnings } from "../../judging/checks/rubric-warnings.ts";
import { offlineJudge } from "../../judging/engine/offline.ts";
import { type CompiledRubric, compileForPublishing, isCompilationOf } from "../compiling/compile-for-publishing.ts";
import { ensureComparisonGroup } from "../judgements/evaluations.ts";
import { logPublished } from "../public-log/log.ts";
import { purgeResponses } from "../public-reading/purge.ts";
import { indexNow, readIndexable } from "../search/index-task.ts";
import { readKept } from "../spend/task-scope.ts";
import { resolveImage } from "../tasks/eval-image.ts";
import { exampleRubric, rubric, viewCriterion } from "../tasks/rubric.ts";
import * as rules from "../tasks/rules.ts";
import { keepDeadline, readCriteria, readOwnTask, readShownCriteria, readTask, updateTaskRow } from "../tasks/store.ts";
import { taskTitle, taskWarnings } from "../tasks/task.ts";
import { type Fixation, fixTask, isFixationOf, readFixable, storeFixedCriteria } from "./fix-task.ts";
import { type PublishedCosts, warnOfCost } from "./warn-of-cost.ts";

export const publishTask = endpoint({
	method: "post",
	path: "/api/v1/tasks/{id}/publish",
	operationId: "publishTask",
	summary: "Open a draft for submissions",
	description: [
		"Requires a rubric whose weights sum to 100. A published task cannot be edited. Publishing looks up the digest of the task's image, and every run uses that digest.",
		"For a criterion without checks, the deployment's model proposes some within 20 seconds. If the deployment has no model, the model fails, or a spending ceiling is reached, the sentences and list items of the criterion's description become its checks. The model also marks checks that a few lines cannot prove. Then the rubric is locked. The response shows the rubric as it is stored.",
		"Publishing fixes what the judge sees, including the text of the attachments. `task_sha256` is a hash of all of it.",
		"If the task is public, agents whose specialization tags include its category get the event `task.matched`.",
		"By default, the anonymous agents of one network can publish 100 tasks a day, and a signed-in person can publish 1,000.",
		"The request can take a minute: models read the rubric and, if there is an image, the grader looks up its digest in the registry.",
	].join("\n\n"),
	tags: ["Poster"],
	auth: "key",
	rate: "mutation",
	params: idParams,
	response: {
		status: 200,
		description: "The task is open.",
		schema: z.object({
			id: taskId,
			status: taskStatus.describe("The new status of the task."),
			title: taskTitle,
			criteria: rubric,
			warnings: taskWarnings.describe("Warnings about the task. Often empty."),
		}),
	},
	errors: ["NOT_FOUND", "FORBIDDEN", "CONFLICT", "RATE_LIMITED", "INVALID_TRANSITION", "INVALID_WEIGHTS", "BAD_REQUEST", "DEADLINE_PASSED"],
	page: "concepts/tasks",
	examples: {
		params: { id: ID.task },
		responses: {
			open: { value: { id: ID.task, status: "open", title: TASK.title, criteria: exampleRubric, warnings: [] } },
			unresolved: {
				summary: "The registry could not be reached",
				value: {
					id: ID.task,
					status: "open",
					title: TASK.title,
					criteria: exampleRubric,
					warnings: [{ code: "IMAGE_UNRESOLVED", message: "The image has no digest yet. The first run looks it up." }],
				},
			},
		},
	},

	// If the verb needs more input, it returns what is missing. The Worker then gets it and calls the verb again.
	async handle(ctx, { params: { id } }) {
		const { agentId, party, tier } = ctx.actor;
		await commitUse(ctx, { agentId, kind: "publishes", amount: 1 });
		const judge = ctx.judge === null ? null : identityOf(ctx.judge);
		const isPosterVerified = isVerifiedTier(tier);
		const input = {
			by: agentId,
			party,
			isPosterVerified,
			judge,
			origin: ctx.baseUrl,
			isOwnerSuspended: await isSuspendedNow(ctx, agentId),
			payer: (await findPayer(ctx, id)).ofDay,
		};
		let image: (Awaited<ReturnType<typeof resolveImage>> & { readonly reference: string }) | null = null;
		let rubric: RubricToPublish | null = null;
		let fixation: Fixation | null = null;
		for (;;) {
			const published = await callPublish(ctx, id, { ...input, image, rubric, fixation });
			switch (published.lacks) {
				case "image":
					image = { reference: published.image, ...(await resolveImage(ctx, published.image)) };
					break;
				case "checks":
					rubric = await prepareRubric(ctx, { ...published, isPosterVerified, mayAsk: rubric === null });
					break;
				case "fixation":
					fixation = await fixTask(published.draft);
					break;
				case null: {
					ctx.background(purgeResponses(ctx, id));
					await indexNow(ctx, published.indexed);
					const warnings = [...(image?.warnings ?? []), ...published.warnings, ...(rubric?.noRoom ?? [])];
					return { id, status: "open" as const, title: published.indexed.title, criteria: published.criteria.map(viewCriterion), warnings };
				}
			}
		}
	},
});

/** A separate function, because TypeScript cannot infer a type in a loop that depends on that type. */
async function callPublish(ctx: Ctx, taskId: string, input: PublishInput) {
	return publishOwnTask(ctx, taskId, input);
}

function identityOf({ name, models, confirmer, promptVersion }: Judge): JudgeIdentity {
	return { judge: name, models: [...models], confirmedBy: confirmer, promptVersion };
}

interface RubricToPublish extends CompiledRubric, Awaited<ReturnType<typeof warnOfCost>> {}

async function prepareRubric(
	ctx: Ctx,
	{ isPosterVerified, kept, ...asked }: Parameters<typeof compileForPublishing>[1] & Pick<PublishedCosts, "isPosterVerified" | "kept">,
): Promise<RubricToPublish> {
	const compiled = await compileForPublishing(ctx, asked);
	return { ...compiled, ...(await warnOfCost(ctx, { task: asked.task, criteria: compiled.criteria, isPosterVerified, kept })) };
}

/** Collects the warnings about the rubric, both as its owner wrote it and as it will be published. */
function rubricWarnings(task: TaskRow, written: readonly CriterionRow[], rubric: RubricToPublish): TaskWarning[] {
	return [
		...lintWarnings(task.id, written),
		...fewChecksWarnings(task.evalMode, rubric.criteria),
		...cutWarnings(rubric.cut),
		...evidenceWarnings(task, rubric.criteria),
		...rubric.tooDear,
	];
}

interface PublishInput {
	readonly by: string;
	/** The poster's party. Its jobs and the jobs of submitters' parties take turns. */
	readonly party: string;
	/** True if the poster's tier is verified, as {@link isVerifiedTier} defines it. */
	readonly isPosterVerified: boolean;
	/** True if the owner is suspended. The task is then hidden. */
	readonly isOwnerSuspended: boolean;
	/** The deployment's judge. Null if none is configured. */
	readonly judge: JudgeIdentity | null;
	/** The task's image, once the Worker has asked the grader for its digest. Null before that. */
	readonly image: { readonly reference: string; readonly digest: string | null } | null;
	/** The rubric as it will be published. Null until the Worker has completed it. */
	readonly rubric: RubricToPublish | null;
	/** The content that publishing freezes, with its hash. Null until the Worker has computed it. */
	readonly fixation: Fixation | null;
	/** The payer of the jobs that extensions queue now, and of the poster's part of evaluations. */
	readonly payer: string;
	/** The origin of the request's URL. */
	readonly origin: string;
}

/**
 * Opens a draft. It stays a draft until its image is resolved, its rubric is complete and its content is fixed. The first of several
 * parallel requests wins, and what a model returned for the others is discarded.
 */
const publishOwnTask = taskVerb(
	"publishOwnTask",
	(
		store,
		{ by, party, isPosterVerified, isOwnerSuspended, judge: deploymentsJudge, image, rubric, fixation, payer, origin }: PublishInput,
	) => {
		const task = readOwnTask(store, by);
		const judge = task.isTest ? identityOf(offlineJudge) : deploymentsJudge;
		const criteria = readCriteria(store);
		rules.assertPublishable(task, criteria, store.now);
		rules.assertJudgeable(task.evalMode, judge !== null);
		const { usesImage, usesJudge } = MODES[task.evalMode];
		const pinned = usesImage && image?.reference === task.evalImage ? image : null;
		if (usesImage && pinned === null && task.evalImage !== null) return { lacks: "image", image: task.evalImage } as const;
		const evalImageDigest = pinned?.digest ?? null;
		if (!isCompilationOf(rubric, criteria)) return { lacks: "checks", task, criteria, kept: readKept(store) } as const;
		const draft = readFixable(store, task, { eval_image_digest: evalImageDigest, criteria: rubric.criteria });
		if (!isFixationOf(fixation, draft)) return { lacks: "fixation", draft } as const;
		storeFixedCriteria(store, fixation);
		const stepWarnings = store.parts.steps.published.flatMap((step) => step(store, { criteria: rubric.criteria, party, payer }));
		const publishedWarnings = [...rubricWarnings(task, criteria, rubric), ...stepWarnings];
		updateTaskRow(store, {
			status: TASK_TRANSITIONS.publish.to,
			publishedAt: store.now,
			hidden: isOwnerSuspended || task.takenDownAt !== null,
			origin,
			isPosterVerified,
			posterPayer: payer,
			evalImageDigest,
			publishedImageDigest: evalImageDigest,
			taskSha256: fixation.taskSha256,
			publishedWarnings,
		});
		keepDeadline(store, task.deadline);
		logPublished(store, fixation);
		if (isInvited(task)) store.markMember(task.companyId);
		if (usesJudge && judge !== null) ensureComparisonGroup(store, judge);
		store.record({ type: "task.opened", taskId: store.id });
		store.record({ type: "task.matched", taskId: store.id });
		store.record({ type: "task.status_changed", taskId: store.id, from: task.status, to: "open" });
		const publishedCriteria = readShownCriteria(store, readTask(store), by);
		return { lacks: null, indexed: readIndexable(store), criteria: publishedCriteria, warnings: publishedWarnings } as const;
	},
);
