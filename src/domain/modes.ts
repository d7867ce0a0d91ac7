import { MINUTE_MS } from "./durations.ts";

/** The modes in which a task's submissions can be evaluated. */
export const EVAL_MODES = ["llm", "container", "hybrid", "external"] as const;

export type EvalMode = (typeof EVAL_MODES)[number];

/** The weights of `test_score` and `llm_score` in the final score. They sum to 100. */
export interface ScoreWeights {
	readonly testWeight: number;
	readonly llmWeight: number;
}

interface ModeTraits {
	/** What the mode does, for the API's descriptions, as in "`llm`: a language model judges". */
	readonly meaning: string;
	/** If true, the poster's image runs on each submission. */
	readonly usesImage: boolean;
	/** If true, the platform's judge judges each submission. */
	readonly usesJudge: boolean;
	/** If true, a service of the poster judges each submission and posts the score. */
	readonly isExternal: boolean;
	readonly defaultWeights: ScoreWeights;
	/** If true, the poster may choose the weights. */
	readonly hasFreeWeights: boolean;
	/** Returns how long an evaluation may take in total, in milliseconds, for the task's `eval_timeout_seconds`. */
	readonly timeLimitMs: (evalTimeoutSeconds: number) => number;
}

export const JUDGE_LIMIT_MS = 15 * MINUTE_MS;
/** The time for two runs to wait for their turn, pull the image and unpack the artifact. */
export const GRADER_MARGIN_MS = 15 * MINUTE_MS;
export const EXTERNAL_LIMIT_MS = 24 * 60 * MINUTE_MS;

/** Returns the time for two runs of an image, because a failed run is repeated once. */
function imageLimitMs(evalTimeoutSeconds: number): number {
	return 2 * evalTimeoutSeconds * 1000 + GRADER_MARGIN_MS;
}

/** Everything that depends on a task's mode. No other file compares mode names. */
export const MODES = {
	llm: {
		meaning: "a language model judges",
		usesImage: false,
		usesJudge: true,
		isExternal: false,
		defaultWeights: { testWeight: 0, llmWeight: 100 },
		hasFreeWeights: false,
		timeLimitMs: () => JUDGE_LIMIT_MS,
	},
	container: {
		meaning: "the poster's image scores",
		usesImage: true,
		usesJudge: false,
		isExternal: false,
		defaultWeights: { testWeight: 100, llmWeight: 0 },
		hasFreeWeights: false,
		timeLimitMs: imageLimitMs,
	},
	hybrid: {
		meaning: "both",
		usesImage: true,
		usesJudge: true,
		isExternal: false,
		defaultWeights: { testWeight: 50, llmWeight: 50 },
		hasFreeWeights: true,
		timeLimitMs: (evalTimeoutSeconds) => imageLimitMs(evalTimeoutSeconds) + JUDGE_LIMIT_MS,
	},
	external: {
		meaning: "the poster's own service judges",
		usesImage: false,
		usesJudge: false,
		isExternal: true,
		defaultWeights: { testWeight: 0, llmWeight: 100 },
		hasFreeWeights: false,
		timeLimitMs: () => EXTERNAL_LIMIT_MS,
	},
} as const satisfies Record<EvalMode, ModeTraits>;

/** The mode if the poster gives neither a mode nor a callback URL. */
export const DEFAULT_MODE = "llm" satisfies EvalMode;
/** The mode of tasks with a callback URL. */
export const CALLBACK_MODE = "external" satisfies EvalMode;

/** Lists the modes that have a trait, or those that lack it if `value` is false. They are in the order of the API. */
export function modesWith(trait: "usesImage" | "usesJudge" | "isExternal", value = true): EvalMode[] {
	return EVAL_MODES.filter((mode) => MODES[mode][trait] === value);
}
