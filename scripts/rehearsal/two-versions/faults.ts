// Runs a platform whose outside world fails: the databases, the bucket, the queues, and calls to objects.
// A generated entry wraps a version of the platform with this, so this file imports nothing from either version.
import { seeded } from "../../support/seeded.ts";

/** What the Worker returns for {@link FAULTS_PATH}. */
export interface FaultCount {
	readonly injected: number;
}

/** A request to this path sets the chance that a step fails, from 0 to 1, and returns a {@link FaultCount}. */
export const FAULTS_PATH = "/faults-of-a-test";

const random = seeded(20_261_129);
let chance = 0;
let injected = 0;

/** Runs a step. By chance, fails before the step takes effect, or after it. */
async function step<Result>(run: () => Promise<Result>, makeFault: () => Error): Promise<Result> {
	const [isFaulty, isAfter] = [random() < chance, random() < 0.5];
	if (isFaulty && !isAfter) throw count(makeFault());
	const result = await run();
	if (isFaulty) throw count(makeFault());
	return result;
}

function count(fault: Error): Error {
	injected += 1;
	return fault;
}

const databaseFault = () => new Error("D1_ERROR: Network connection lost.");
const bucketFault = () => new Error("put: We encountered an internal error. Please try again. (10001)");
const queueFault = () => new Error("Queue send failed: Internal Server Error");
const objectFault = () => Object.assign(new Error("Network connection lost."), { retryable: true });

/** Turns the named methods of a binding into steps. A method of the runtime's own objects must be called on the object itself. */
function withSteps<T extends object>(binding: T, names: readonly string[], makeFault: () => Error): T {
	return new Proxy(binding, {
		get(target, name) {
			const member: unknown = Reflect.get(target, name);
			if (typeof member !== "function") return member;
			if (!names.includes(String(name))) return (...input: unknown[]) => Reflect.apply(member, target, input);
			return (...input: unknown[]) => step(async () => Reflect.apply(member, target, input), makeFault);
		},
	});
}

function withDatabaseSteps(database: D1Database): D1Database {
	const withSession: D1Database["withSession"] = (start) => {
		const session = database.withSession(start);
		const watch = (statement: D1PreparedStatement): D1PreparedStatement => {
			const [all, bind] = [statement.all.bind(statement), statement.bind.bind(statement)];
			return Object.assign(statement, {
				all: () => step(() => all(), databaseFault),
				bind: (...values: unknown[]) => watch(bind(...values)),
			});
		};
		const batch: D1DatabaseSession["batch"] = (statements) => step(() => session.batch(statements), databaseFault);
		return Object.assign(Object.create(session), {
			batch,
			prepare: (text: string) => watch(session.prepare(text)),
			getBookmark: () => session.getBookmark(),
		});
	};
	return Object.assign(Object.create(database), { withSession });
}

/** Makes calls of methods fail. A `fetch` stays as it is, because it opens sockets. */
function withObjectSteps<T extends object>(namespace: T): T {
	const open = (stub: object): object =>
		new Proxy(stub, {
			get(target, name) {
				const member: unknown = Reflect.get(target, name);
				if (typeof member !== "function") return member;
				if (name === "fetch") return (...input: unknown[]) => Reflect.apply(member, target, input);
				return (...input: unknown[]) => step(async () => Reflect.apply(member, target, input), objectFault);
			},
		});
	return new Proxy(namespace, {
		get(target, name) {
			const member: unknown = Reflect.get(target, name);
			if (typeof member !== "function") return member;
			return (...input: unknown[]) => {
				const result: unknown = Reflect.apply(member, target, input);
				return name === "getByName" && typeof result === "object" && result !== null ? open(result) : result;
			};
		},
	});
}

const LIMITS = ["SUBMISSION", "MUTATION", "SEARCH", "GENERAL", "SHARED", "SESSION", "OPENING", "EVERYTHING", "REGISTERING", "REDEEMING"];
/** Replaces the bindings for rate limits with ones that allow everything, because this rehearsal does not test limits. */
const WITHOUT_LIMITS = Object.fromEntries(LIMITS.map((name) => [`${name}_LIMIT`, { limit: () => Promise.resolve({ success: true }) }]));

/** The wrapper of each environment. There must be only one, because the platform caches values by environment. */
const environments = new WeakMap<Env, Env>();

/** Returns the bindings with faults. Objects get them in their constructor. */
export function faultyEnv(env: Env): Env {
	const known = environments.get(env);
	if (known !== undefined) return known;
	const faulty = {
		...env,
		...WITHOUT_LIMITS,
		...{ DB: withDatabaseSteps(env.DB), SEARCH: withDatabaseSteps(env.SEARCH) },
		BUCKET: withSteps(env.BUCKET, ["put", "get", "head", "delete", "list"], bucketFault),
		...{ TASK: withObjectSteps(env.TASK), WORKSPACE: withObjectSteps(env.WORKSPACE), BOUNTIES: withObjectSteps(env.BOUNTIES) },
		...{ WATCH: withObjectSteps(env.WATCH), TARGET_HOST: withObjectSteps(env.TARGET_HOST) },
		...{ WEBHOOK_SENDER: withObjectSteps(env.WEBHOOK_SENDER), TOPIC_RELAY: withObjectSteps(env.TOPIC_RELAY) },
		EVALUATION_QUEUE: withSteps(env.EVALUATION_QUEUE, ["send", "sendBatch"], queueFault),
		CHECK_QUEUE: withSteps(env.CHECK_QUEUE, ["send", "sendBatch"], queueFault),
	};
	environments.set(env, faulty);
	return faulty;
}

type Handler = Required<Pick<ExportedHandler<Env>, "fetch" | "queue" | "scheduled">>;

/** Makes the Worker of a version of the platform whose outside world fails. */
export function faultyWorker({ fetch, queue, scheduled }: Handler): Handler {
	return {
		fetch(request, env, ctx) {
			const url = new URL(request.url);
			if (url.pathname !== FAULTS_PATH) return fetch(request, faultyEnv(env), ctx);
			chance = Number(url.searchParams.get("chance") ?? chance);
			return Response.json({ injected } satisfies FaultCount);
		},
		queue: (batch, env, ctx) => queue(batch, faultyEnv(env), ctx),
		scheduled: (controller, env, ctx) => scheduled(controller, faultyEnv(env), ctx),
	};
}
