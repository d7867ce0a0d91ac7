// What operators have switched off, in front of the endpoints that it concerns. Contract: additions, "Operators".
import { AppError } from "../domain/errors.ts";
import type { SwitchName } from "../domain/switches.ts";
import type { Deps } from "../ports/deps.ts";
import { type EndpointContract, switchesOf } from "./endpoint.ts";
import type { ChainStep } from "./hono-env.ts";

const RETRY_AFTER_SECONDS = 30;
const SHED_RETRY_AFTER_SECONDS = 60;

/** Refuses while a switch of the endpoint is off. */
export function pausing(contract: EndpointContract): ChainStep | null {
	const names = switchesOf(contract);
	if (names.length === 0) return null;
	return async function pausing(c, next) {
		await assertRunning(c.get("ctx"), names);
		await next();
	};
}

/**
 * Holds while these switches are on. New submissions are also refused while evaluations have waited for too long, unless judging is
 * paused: then they wait on purpose.
 *
 * @throws AppError `SERVICE_PAUSED`.
 */
export async function assertRunning(deps: Deps, names: readonly SwitchName[]): Promise<void> {
	const { switches, queueAgeMs } = await deps.switchboard.read(deps);
	for (const name of names) {
		const { on, message } = switches[name];
		if (!on) throw new AppError("SERVICE_PAUSED", { ...(message === "" ? {} : { message }), retryAfterSeconds: RETRY_AFTER_SECONDS });
	}
	if (names.includes("submissions") && switches.judging.on && queueAgeMs > deps.config.maxQueueAgeMs) {
		throw new AppError("SERVICE_PAUSED", {
			message: "More submissions are waiting for their evaluation than the platform can judge in time. Submit again later.",
			retryAfterSeconds: SHED_RETRY_AFTER_SECONDS,
		});
	}
}
