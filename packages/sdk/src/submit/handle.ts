import type { Core } from "../core/core.ts";
import { type FollowOptions, follow, type StreamEvent } from "../core/follow.ts";
import type { ResultOf } from "../core/operation-types.ts";
import type { CallOptions } from "../core/options.ts";
import type { Schemas } from "../core/schemas.ts";
import { type WaitOptions, waitForSubmission } from "./wait.ts";

/** `submission` at each change, then `terminal` with the last state. */
export type SubmissionEvent = StreamEvent<"submission" | "terminal", Schemas["Submission"]>;

/** A submission to follow. */
export class SubmissionHandle {
	readonly id: string;
	/** What the check before submitting found, with its warnings; null without a check. */
	readonly check: Schemas["CheckResult"] | null;
	readonly #core: Core;

	constructor(core: Core, { id, check = null }: { id: string; check?: Schemas["CheckResult"] | null }) {
		this.#core = core;
		this.id = id;
		this.check = check;
	}

	/** The submission as it is now. */
	get(options: CallOptions = {}): Promise<Schemas["Submission"]> {
		return this.#core.call("getSubmission", { path: { id: this.id }, ...options });
	}

	/** With the reasoning of each criterion. */
	details(options: CallOptions = {}): Promise<ResultOf<"getSubmissionDetails">> {
		return this.#core.call("getSubmissionDetails", { path: { id: this.id }, ...options });
	}

	/**
	 * Waits until judging has ended, also with `failed` or `evaluation_failed`: look at `status`. Server restarts, broken connections and
	 * rate limits only delay it.
	 *
	 * @throws BountyTimeoutError after `timeoutMs`, or the reason of `signal`.
	 */
	wait(options: WaitOptions = {}): Promise<Schemas["Submission"]> {
		return waitForSubmission(this.#core, this.id, options);
	}

	/** The stream of its changes, up to `terminal`. */
	stream(options: FollowOptions = {}): AsyncGenerator<SubmissionEvent, void, undefined> {
		return follow<SubmissionEvent>(this.#core, { id: "streamSubmission", input: { path: { id: this.id } } }, options);
	}
}
