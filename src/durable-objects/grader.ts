import { DurableObject } from "cloudflare:workers";
import { readConfig } from "../config/env.ts";
import { ContainerGrader } from "../core/judging/grader/container-grader.ts";
import { keepAlarm } from "../platform/alarms.ts";
import { systemClock } from "../platform/clock.ts";
import { deriveKey, hmacHex } from "../platform/crypto.ts";
import { consoleLog } from "../platform/log.ts";

/** One object per run of a poster's image. It has the container in which the grader runs. */
export class Grader extends DurableObject<Env> {
	readonly #grader: ContainerGrader;

	constructor(ctx: DurableObjectState, env: Env) {
		super(ctx, env);
		this.#grader = new ContainerGrader({
			container: ctx.container,
			clock: systemClock,
			log: consoleLog,
			readToken: async () => hmacHex(await deriveKey(readConfig(env).keys.current, "grader-token", "hmac"), ctx.id.toString()),
			setAlarm: (at) => ctx.storage.setAlarm(at),
			deleteAlarm: () => ctx.storage.deleteAlarm(),
			background: (work) => ctx.waitUntil(work),
		});
	}

	override fetch(request: Request): Promise<Response> {
		return this.#grader.serve(request);
	}

	override alarm(): Promise<void> {
		return keepAlarm(this.ctx.storage, "grader_alarm_failed", () => this.#grader.end());
	}
}
