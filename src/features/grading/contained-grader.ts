// The grader in a container of this deployment's own, as its Durable Object runs it: one container for one run, over interfaces.
import type { Clock } from "../../platform/clock.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../platform/clock.ts";
import { describeError, type Log } from "../../platform/log.ts";

/** Where the image of grader/Dockerfile listens. */
const PORT = 8080;
const ORIGIN = "http://grader";
const BOOT_LIMIT_MS = 90 * SECOND_MS;
const BOOT_POLL_MS = 500;
/** How long an account without a free instance is asked for one; the job then comes back later. */
const ROOM_LIMIT_MS = 10 * SECOND_MS;
/** What the runtime says when every instance is taken. */
const NO_ROOM = "no container instance";
/** The longest run takes an hour; a container still running after this was forgotten. */
const MAX_LIFETIME_MS = 3 * HOUR_MS;
/** Outlives the object's own restarts between two looks. */
const INACTIVITY_LIMIT_MS = 15 * MINUTE_MS;

export type ContainerPort = Pick<Container, "running" | "start" | "monitor" | "destroy" | "getTcpPort" | "setInactivityTimeout">;

export interface ContainerHost {
	/** Undefined in a deployment without the container, and in local development without Docker. */
	readonly container: ContainerPort | undefined;
	readonly clock: Clock;
	readonly log: Log;
	/** Secret of this one container. */
	readonly readToken: () => Promise<string>;
	/** Calls {@link ContainedGrader.end} at that time, in milliseconds since the epoch. */
	readonly setAlarm: (at: number) => Promise<void>;
	readonly deleteAlarm: () => Promise<void>;
	readonly background: (work: Promise<unknown>) => void;
}

/** Passes calls on to the grader in the container; starts it for the first job and ends it when that is over. */
export class ContainedGrader {
	readonly #host: ContainerHost;
	#isWatched = false;

	constructor(host: ContainerHost) {
		this.#host = host;
	}

	async serve(request: Request): Promise<Response> {
		const { container } = this.#host;
		if (container === undefined) return answer(503, "This deployment has no container for the grader.");
		if (request.method === "DELETE") {
			await this.end();
			return answer(200, "stopped");
		}
		if (request.method !== "POST") {
			// What a container that has ended was running is lost with it.
			if (!container.running) return answer(404, "There is no such job here.");
		} else if (!(await this.#boot(container))) {
			await this.end();
			return answer(429, "Every container is taken.");
		}
		this.#watch(container);
		return this.#pass(container, request);
	}

	/** Kills the container and everything in it. */
	async end(): Promise<void> {
		if (this.#host.container?.running === true) await this.#host.container.destroy();
		await this.#host.deleteAlarm();
	}

	/** Starts the container unless it runs, and waits until its grader responds. False when no instance is free. */
	async #boot(container: ContainerPort): Promise<boolean> {
		const { clock, readToken, setAlarm } = this.#host;
		const token = await readToken();
		if (!container.running) {
			await setAlarm(clock.now() + MAX_LIFETIME_MS);
			// Another call may have started it in the meantime.
			if (!container.running) container.start({ enableInternet: true, env: { GRADER_TOKEN: token, HOST: "0.0.0.0", PORT: String(PORT) } });
			await container.setInactivityTimeout(INACTIVITY_LIMIT_MS);
		}
		this.#watch(container);
		const startedAt = clock.now();
		while (container.running && clock.now() < startedAt + BOOT_LIMIT_MS) {
			const state = await probe(container);
			if (state === "up") return true;
			if (state === "no room" && clock.now() >= startedAt + ROOM_LIMIT_MS) return false;
			await new Promise<void>((resolve) => clock.after(BOOT_POLL_MS, resolve));
		}
		return true;
	}

	/** While this waits, the object and its container stay. */
	#watch(container: ContainerPort): void {
		if (this.#isWatched) return;
		this.#isWatched = true;
		const { log, background } = this.#host;
		const watching = container
			.monitor()
			.catch((error: unknown) => log.error("grader_container_failed", describeError(error)))
			.finally(() => {
				this.#isWatched = false;
			});
		background(watching);
	}

	async #pass(container: ContainerPort, request: Request): Promise<Response> {
		const headers = new Headers(request.headers);
		headers.set("Authorization", `Bearer ${await this.#host.readToken()}`);
		const { pathname } = new URL(request.url);
		try {
			return await container.getTcpPort(PORT).fetch(`${ORIGIN}${pathname}`, { method: request.method, headers, body: request.body });
		} catch (error) {
			this.#host.log.error("grader_container_unreachable", describeError(error));
			return answer(503, "The grader in the container does not respond.");
		}
	}
}

async function probe(container: ContainerPort): Promise<"up" | "no room" | "silent"> {
	try {
		const response = await container.getTcpPort(PORT).fetch(`${ORIGIN}/health`);
		await response.body?.cancel();
		return response.ok ? "up" : "silent";
	} catch (error) {
		return error instanceof Error && error.message.includes(NO_ROOM) ? "no room" : "silent";
	}
}

function answer(status: number, message: string): Response {
	return Response.json({ message }, { status });
}
