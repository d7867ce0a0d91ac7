// This judge asks language models.
import * as z from "zod";
import type { ModelJudgeSettings } from "../../../config/judge-settings.ts";
import { ANCHOR_LEVELS, CHECK_LIMITS } from "../../../domain/anchors.ts";
import type { Judge, JudgeSession, Proposal, ProposalRequest } from "../../../ports/judge.ts";
import { parseReplyJson } from "./answer.ts";
import type { CallContext } from "./asking.ts";
import { type Chat, type ChatDeps, createChat } from "./chat.ts";
import { compareByModel } from "./comparing.ts";
import { estimate } from "./estimate.ts";
import { cleanLine, cleanText } from "./marking.ts";
import { createLimiter } from "./parallel.ts";
import { PROMPT_VERSION } from "./prompt.ts";
import { judgeCriterion } from "./samples.ts";
import { createFirstAlone, openJudgeSession } from "./session.ts";

/**
 * Judges with language models: each criterion in separate calls, several times if the budget warrants it, and checks every claim of a
 * model. Make one for each evaluation, because it limits that evaluation's calls.
 */
export function createModelJudge(deps: ChatDeps, settings: ModelJudgeSettings): Judge {
	const limit = createLimiter(settings.parallelCalls);
	const chat = createChat(deps, settings);
	const sharedBySession = new WeakMap<JudgeSession, CallContext>();
	const shareFor = (session: JudgeSession) => {
		const known = sharedBySession.get(session) ?? { firstAlone: createFirstAlone(), limits: new Map() };
		sharedBySession.set(session, known);
		return known;
	};
	return {
		name: "openai",
		models: settings.models,
		promptVersion: PROMPT_VERSION,
		estimate: (plan) => estimate(settings, plan),
		proposeChecks: (request) => limit(() => askForProposal({ ...request, chat, model: settings.models[0] ?? "" })),
		compareOnCriterion(request, watch = {}) {
			const session = watch.session ?? openJudgeSession();
			return compareByModel({ request, watch, session, settings, limit, chat, firstAlone: shareFor(session).firstAlone });
		},
		judgeCriterion(request, watch = {}) {
			const session = watch.session ?? openJudgeSession();
			const context = {
				request,
				watch,
				session,
				settings,
				limit,
				chat,
				shared: shareFor(session),
				controls: new Map(),
				now: deps.clock.now(),
			};
			return judgeCriterion(context);
		},
	};
}

// Asks a model to compile one criterion: its checks, and what levels 1, 3 and 5 mean for it. The poster reads and edits the proposal.

const MAX_PROPOSED_CHECKS = 20;

const proposalSchema = z.strictObject({
	checks: z.array(z.string().max(20_000)).max(MAX_PROPOSED_CHECKS),
	anchors: z.strictObject({ "1": z.string().max(20_000), "3": z.string().max(20_000), "5": z.string().max(20_000) }),
});

const PROPOSAL_FORMAT = {
	name: "compiled_criterion",
	schema: {
		type: "object",
		properties: {
			checks: { type: "array", items: { type: "string" } },
			anchors: {
				type: "object",
				properties: { "1": { type: "string" }, "3": { type: "string" }, "5": { type: "string" } },
				required: [...ANCHOR_LEVELS],
				additionalProperties: false,
			},
		},
		required: ["checks", "anchors"],
		additionalProperties: false,
	},
} as const;

const RULES = `You prepare one criterion of a rubric, by which a judge will score files that it can read and not run.

- "checks": 2 to ${CHECK_LIMITS.perCriterion} texts of at most ${CHECK_LIMITS.characters} characters. Each names one thing that can be answered yes, partly or no from the files, such as "\`parse\` handles quoted fields" or "A test covers an empty file". No praise such as good or clean, no reference to other criteria, nothing that the criterion and the task do not ask for.
- "anchors": for each of the levels 1 (a beginning), 3 (mostly there) and 5 (wholly there), at most ${CHECK_LIMITS.anchorCharacters} characters that say what work of this level looks like, in the criterion's own terms.

Write in the language of the criterion. Reply with one JSON object {"checks": [...], "anchors": {"1": "...", "3": "...", "5": "..."}} and nothing around it.`;

/** Asks for the proposal. Returns null for a reply that cannot be read. @throws what a failed call throws. */
async function askForProposal({
	chat,
	model,
	task,
	criterion,
	signal,
	onCall,
}: ProposalRequest & { readonly chat: Chat; readonly model: string }): Promise<Proposal | null> {
	const reply = await chat.complete({
		model,
		system: RULES,
		user: describe({ task, criterion }),
		format: PROPOSAL_FORMAT,
		patience: 1,
		signal,
	});
	onCall(reply.call);
	const parsed = proposalSchema.safeParse(parseReplyJson(reply.text));
	if (reply.ending !== "complete" || !parsed.success) return null;
	const { checks, anchors } = parsed.data;
	const level = (text: string) => cleanText(text).text.trim().slice(0, CHECK_LIMITS.anchorCharacters).toWellFormed();
	const words = { "1": level(anchors["1"]), "3": level(anchors["3"]), "5": level(anchors["5"]) };
	const isWhole = Object.values(words).every((text) => text !== "");
	return { checks: checks.map((check) => cleanText(check).text), anchors: isWhole ? words : null };
}

function describe({ task, criterion }: Pick<ProposalRequest, "task" | "criterion">): string {
	const parts = [
		["Task", cleanLine(task.title, 1_000)],
		["Description", task.description],
		["Input", task.inputSpec],
		["Output", task.outputSpec],
		["Criterion", cleanLine(criterion.name, 1_000)],
		["What the judge should look for", criterion.description],
	] as const;
	return parts.flatMap(([title, text]) => (text ? [`# ${title}\n${cleanText(text).text}`] : [])).join("\n\n");
}
