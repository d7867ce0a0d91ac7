import type { Core } from "../core/core.ts";
import type { FollowOptions } from "../core/follow.ts";
import type { CallOptions } from "../core/options.ts";
import {
	type CheckSubmissionResult,
	type GetSubmissionDetailsResult,
	type GetSubmissionResult,
	Methods,
	type StreamSubmissionEvent,
} from "../generated/methods.ts";
import { type WaitOptions, waitForSubmission } from "./wait.ts";

/** A submission to follow. */
export class SubmissionHandle {
	readonly id: string;
	/** The result of the check before submitting, with its warnings; null without a check. */
	readonly check: CheckSubmissionResult | null;
	/** True if this is an earlier submission of the same files. No further slot was used. */
	readonly isRepeated: boolean;
	readonly #core: Core;
	readonly #client: Methods;

	constructor(
		core: Core,
		{ id, check = null, isRepeated = false }: { id: string; check?: CheckSubmissionResult | null; isRepeated?: boolean },
	) {
		this.#core = core;
		this.#client = new Methods(core);
		this.id = id;
		this.check = check;
		this.isRepeated = isRepeated;
	}

	/** Returns the submission in its current state. */
	get(options: CallOptions = {}): Promise<GetSubmissionResult> {
		return this.#client.getSubmission(this.id, {}, options);
	}

	/** Returns the submission with the reasoning of each criterion. */
	details(options: CallOptions = {}): Promise<GetSubmissionDetailsResult> {
		return this.#client.getSubmissionDetails(this.id, options);
	}

	/**
	 * Waits until judging has ended, including with `failed` or `evaluation_failed`: look at `status`.
	 * Server restarts, broken connections and rate limits only delay it.
	 *
	 * @throws BountyTimeoutError after `timeoutMs`, or the reason of `signal`.
	 */
	wait(options: WaitOptions = {}): Promise<GetSubmissionResult> {
		return waitForSubmission(this.#core, this.id, options);
	}

	/** Yields the submission's changes, up to `terminal`. */
	stream(options: FollowOptions = {}): AsyncGenerator<StreamSubmissionEvent, void, undefined> {
		return this.#client.streamSubmission(this.id, options);
	}
}
