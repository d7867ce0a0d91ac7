// Builds dependencies for tests that replace the judge, the clock or a queue, or that stop in the middle.
import { env } from "cloudflare:workers";
import { createDeps } from "../../src/compose/create-deps.ts";
import { type Config, parseConfig } from "../../src/config/env.ts";
import { forgetKnownAgent } from "../../src/core/identity/api-keys/service.ts";
import { createEndedCredentials } from "../../src/core/identity/credential-ends/ended-credentials.ts";
import { createSwitchboard } from "../../src/core/identity/switches/service.ts";
import { openDatabase } from "../../src/db/client.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { TaskMessage } from "../../src/ports/queues.ts";

export interface TestDeps extends Deps {
	/** Waits for background work, and throws its errors. */
	settled(): Promise<void>;
}

/** Returns the real dependencies, with some replaced. */
export function testDeps(change: Partial<Deps> = {}): TestDeps {
	const work: Promise<unknown>[] = [];
	const background = (promise: Promise<unknown>) => {
		promise.catch(() => {});
		work.push(promise);
	};
	const deps = { ...createDeps({ env, background, readFrom: "first-primary" }), ...change };
	return {
		...deps,
		async settled() {
			while (work.length > 0) await awaitHere(Promise.all(work.splice(0)));
		},
	};
}

/**
 * Waits for work that may end in the context of a Durable Object. Awaiting it would continue in that context, where the test's I/O
 * cannot be used.
 */
async function awaitHere(work: Promise<unknown>): Promise<void> {
	let outcome: PromiseSettledResult<unknown> | null = null;
	Promise.allSettled([work]).then(([settled]) => {
		outcome = settled;
	});
	const read = (): PromiseSettledResult<unknown> | null => outcome;
	while (read() === null) await scheduler.wait(1);
	const settled = read();
	if (settled?.status === "rejected") throw settled.reason;
}

/**
 * Returns the configuration of the tests' deployment with some variables replaced.
 *
 * @throws Error for a variable that a deployment refuses.
 */
export function configWith(variables: Readonly<Record<string, unknown>>): Config {
	return parseConfig(Object.assign({}, env, variables));
}

/** Returns the memory of an isolate that has read nothing yet, and makes this isolate forget an agent. */
export function newIsolate(agentId: string | null = null): Pick<Deps, "switchboard" | "endedCredentials"> {
	if (agentId !== null) forgetKnownAgent(agentId);
	return { switchboard: createSwitchboard(), endedCredentials: createEndedCredentials() };
}

/** Opens the directory as a request does, with its own count of calls in `use`. */
export function countingDatabase(database: D1Database = env.DB, readFrom: "first-primary" | "first-unconstrained" = "first-primary") {
	return openDatabase(database, readFrom);
}

/** Returns a queue that stores its messages. */
export function recordingQueue<Message = TaskMessage>() {
	const sent: { message: Message; delaySeconds: number }[] = [];
	return {
		sent,
		send(message: Message, options?: { delaySeconds?: number }) {
			sent.push({ message, delaySeconds: options?.delaySeconds ?? 0 });
			return Promise.resolve();
		},
		sendBatch(messages: readonly { readonly body: Message }[]) {
			sent.push(...messages.map(({ body }) => ({ message: body, delaySeconds: 0 })));
			return Promise.resolve();
		},
	};
}
