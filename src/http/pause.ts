// The step that rejects requests to parts of the platform that are switched off.
import { AppError } from "../domain/errors.ts";
import type { SwitchName } from "../domain/switches.ts";
import type { Deps } from "../ports/deps.ts";
import { type EndpointContract, switchesOf } from "./endpoint.ts";
import type { ChainStep } from "./hono-env.ts";

const RETRY_AFTER_SECONDS = 30;

/**
 * Rejects requests while one of the endpoint's switches is off. Runs after the lookup of the credential, which returns the switches too.
 */
export function pausing(contract: EndpointContract): ChainStep | null {
	const names = switchesOf(contract);
	if (names.length === 0) return null;
	return async function pausing(c, next) {
		await assertRunning(c.get("ctx"), names);
		await next();
	};
}

/** @throws AppError `SERVICE_PAUSED` unless these switches are on. */
export async function assertRunning(deps: Deps, names: readonly SwitchName[]): Promise<void> {
	const switches = await deps.switchboard.read(deps);
	for (const name of names) {
		const { on, message } = switches[name];
		if (!on) throw new AppError("SERVICE_PAUSED", { ...(message === "" ? {} : { message }), retryAfterSeconds: RETRY_AFTER_SECONDS });
	}
	if (names.includes("writes") && (await deps.switchboard.recordPlacement(deps))) await assertRunning(deps, names);
}
