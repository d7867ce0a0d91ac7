// Describes what a job waits for: for agents in the platform's words, for operators in the supplier's words.
import { toIso } from "../../../platform/clock.ts";
import type { JudgeWait } from "../../../ports/judge.ts";
import { showWords, sizesIn } from "./supplier-answers.ts";

/** Thrown if a model cannot continue now and the submission is not to blame. */
export class WaitError extends Error {
	override readonly name = "WaitError";
	readonly wait: JudgeWait;
	/** The model that cannot continue. Null if the job waits only because the attempt is over. */
	readonly model: string | null;

	constructor(model: string | null, wait: JudgeWait) {
		super(wait.message);
		this.model = model;
		this.wait = wait;
	}
}

type WaitCause =
	| { readonly kind: "account"; readonly status: number; readonly words: string; readonly retryAfterMs: number | null }
	| { readonly kind: "open"; readonly since: number; readonly words: string }
	| { readonly kind: "too_long" | "no_form" | "control" | "unreachable" | "unheard"; readonly words: string };

const BY_STATUS: ReadonlyMap<number, string> = new Map([
	[401, "refuses this deployment's key. The operator must correct JUDGE_API_KEY"],
	[402, "says that the account has no credit. The operator must add some"],
	[403, "refuses this deployment's key. The operator must correct JUDGE_API_KEY"],
	[404, "does not know this model or URL. The operator must correct JUDGE_MODELS or JUDGE_BASE_URL"],
	[408, "waited too long for the request"],
	[425, "asks the platform to try again later"],
	[429, "is at its rate limit"],
	[498, "has no capacity left"],
]);

/** With these statuses, the supplier would reject any call of this deployment, so the submission is not the cause. */
const OUTAGES: ReadonlySet<number> = new Set([401, 402, 403, 404, 498]);

const NO_CREDIT = /insufficient_quota|exceeded your current quota|billing|credit/i;

export function explainWait(model: string, cause: WaitCause): JudgeWait {
	const said = cause.words.trim();
	const status = cause.kind === "account" ? `Status ${cause.status}: ` : "";
	const supplierWords = said === "" && status === "" ? null : showWords(`${status}${said}`);
	const isRateLimit = cause.kind === "account" && cause.status === 429 && !NO_CREDIT.test(cause.words);
	return {
		reason: isRateLimit ? "rate_limit" : "supplier",
		message: describe(model, cause),
		retryAfterMs: cause.kind === "account" ? cause.retryAfterMs : null,
		supplierWords,
		...breakerOf(cause),
	};
}

/**
 * The breaker counts a fault if the control failed too, if the server accepts no form or cannot be reached, or if it rejects every call.
 */
function breakerOf(cause: WaitCause): Pick<JudgeWait, "breaker"> {
	switch (cause.kind) {
		case "open":
			return { breaker: "open" };
		case "control":
		case "no_form":
		case "unreachable":
			return { breaker: "fault" };
		case "account":
			return OUTAGES.has(cause.status) ? { breaker: "fault" } : {};
		case "too_long":
		case "unheard":
			return {};
	}
}

function describe(model: string, cause: WaitCause): string {
	switch (cause.kind) {
		case "account": {
			const sentence = cause.status === 429 && NO_CREDIT.test(cause.words) ? BY_STATUS.get(402) : BY_STATUS.get(cause.status);
			return `The supplier of the judge's model ${model} ${sentence ?? `answered with status ${cause.status}`}.`;
		}
		case "open":
			return `The supplier of the judge's model ${model} has not worked since ${toIso(cause.since)}. The platform tries it once a minute.`;
		case "too_long": {
			const { context } = sizesIn(cause.words);
			const size = context === null ? "" : ` Its context is ${context} tokens.`;
			return `The judge's model ${model} has too little room even for a shortened submission.${size} The operator must lower JUDGE_MAX_INPUT_CHARACTERS or JUDGE_MAX_OUTPUT_TOKENS, or choose a model with a larger context.`;
		}
		case "no_form":
			return `The server of the judge's model ${model} rejects every form of request. The operator must check JUDGE_RESPONSE_FORMAT and JUDGE_MAX_OUTPUT_TOKENS.`;
		case "control":
			return `The judge's model ${model} gave no readable answer, not even to the same question about other files.`;
		case "unreachable":
			return `The server of the judge's model ${model} cannot be reached.`;
		case "unheard":
			return `The connection to the judge's model ${model} broke before it answered.`;
	}
}
