// This judge asks language models.
import type { ModelJudgeSettings } from "../../../config/judge-settings.ts";
import type { Judge, JudgeSession } from "../../../ports/judge.ts";
import type { CallContext } from "./asking.ts";
import { type ChatDeps, createChat } from "./chat.ts";
import { compareByModel } from "./comparing.ts";
import { estimateCall } from "./estimate.ts";
import { createLimiter } from "./parallel.ts";
import { PROMPT_VERSION } from "./prompt.ts";
import { askForProposal } from "./proposals.ts";
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
		estimateCall: (request) => estimateCall(settings, request),
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
