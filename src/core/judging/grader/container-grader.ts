// A Durable Object runs the grader in a container of this deployment. Each run has its own container.
import type { Clock } from "../../../platform/clock.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../platform/clock.ts";
import { describeError, type Log } from "../../../platform/log.ts";

/** The image of grader/Dockerfile listens on this port. */
const PORT = 8080;
const ORIGIN = "http://grader";
const BOOT_LIMIT_MS = 90 * SECOND_MS;
const BOOT_POLL_MS = 500;
/** If no instance is free, the object keeps trying for this time. Then it gives up, and the job is sent again later. */
const ROOM_LIMIT_MS = 10 * SECOND_MS;
/** The runtime's messages if all instances are in use, or if the account has reached its limit. */
const NO_ROOM = /no container instance|maximum number of running container instances/i;
/** The time limit of a step. Probing a port on which nothing listens yet, or stopping a container whose start hangs, can take minutes. */
const STEP_LIMIT_MS = 5 * SECOND_MS;
/** Statuses for a job that could not be passed to the grader. After either, the job can be sent again later. */
const TAKEN_STATUS = 429;
export const BAD_START_STATUS = 425;
/** The longest run takes an hour, so a container that still runs after this time was forgotten. */
const MAX_LIFETIME_MS = 3 * HOUR_MS;
/** Without a call, a container stays alive for this time, so that it survives a restart of its object between two polls. */
const INACTIVITY_LIMIT_MS = 15 * MINUTE_MS;

export type ContainerPort = Pick<Container, "running" | "start" | "monitor" | "destroy" | "getTcpPort" | "setInactivityTimeout">;

export interface ContainerHost {
	/** Undefined if the deployment has no container, and in local development without Docker. */
	readonly container: ContainerPort | undefined;
	readonly clock: Clock;
	readonly log: Log;
	/** Returns the token of the object's container. No other container has it. */
	readonly readToken: () => Promise<string>;
	/** Sets the alarm that calls {@link ContainerGrader.end} at this time, in milliseconds since the epoch. */
	readonly setAlarm: (at: number) => Promise<void>;
	readonly deleteAlarm: () => Promise<void>;
	readonly background: (work: Promise<unknown>) => void;
}

/** Forwards requests to the grader in the container. A POST starts the container if it is not running, and a DELETE ends it. */
export class ContainerGrader {
	readonly #host: ContainerHost;
	#watching: Promise<void> | null = null;
	/** The error with which the last container failed. Null if it ended normally or is still running. */
	#failure: unknown = null;

	constructor(host: ContainerHost) {
		this.#host = host;
	}

	async serve(request: Request): Promise<Response> {
		const { container } = this.#host;
		if (container === undefined) return respond(503, "This deployment has no container for the grader.");
		if (request.method === "DELETE") {
			await this.end();
			return respond(200, "stopped");
		}
		if (request.method !== "POST") {
			// When a container ends, its job is lost.
			if (!container.running) return respond(404, "This container has no job with this id.");
		} else {
			const start = await this.#boot(container);
			if (start !== "up") await this.end();
			if (start === "no room") return respond(TAKEN_STATUS, "All containers are in use.");
			if (start === "bad start") return respond(BAD_START_STATUS, "The container did not start.");
		}
		this.#watch(container);
		return this.#pass(container, request);
	}

	/** Kills the container and everything in it. */
	async end(): Promise<void> {
		const { container, clock, deleteAlarm } = this.#host;
		if (container?.running === true) await within(clock, container.destroy());
		await deleteAlarm();
	}

	/**
	 * Starts the container if it is not running, and waits until its grader responds. If the container does not start, the caller must end
	 * it.
	 */
	async #boot(container: ContainerPort): Promise<Start> {
		const startedAt = this.#host.clock.now();
		try {
			if (!container.running) await this.#start(container);
			this.#watch(container);
			return (await this.#awaitResponse(container, startedAt)) ?? (await this.#findFailure(container));
		} catch (error) {
			this.#host.log.error("grader_container_failed", describeError(error));
			return startOf(error);
		}
	}

	async #start(container: ContainerPort): Promise<void> {
		const { clock, readToken, setAlarm } = this.#host;
		const token = await readToken();
		await setAlarm(clock.now() + MAX_LIFETIME_MS);
		// Another call may have started the container in the meantime.
		if (!container.running) container.start({ enableInternet: true, env: { GRADER_TOKEN: token, HOST: "0.0.0.0", PORT: String(PORT) } });
		await within(clock, container.setInactivityTimeout(INACTIVITY_LIMIT_MS));
	}

	/** Returns null if the container has ended, or if it has not responded within {@link BOOT_LIMIT_MS}. */
	async #awaitResponse(container: ContainerPort, startedAt: number): Promise<Start | null> {
		const { clock } = this.#host;
		while (container.running && clock.now() < startedAt + BOOT_LIMIT_MS) {
			const state = await this.#probe(container);
			if (state === "up" || (state === "no room" && clock.now() >= startedAt + ROOM_LIMIT_MS)) return state;
			await new Promise<void>((resolve) => clock.after(BOOT_POLL_MS, resolve));
		}
		return null;
	}

	/** The reason why a container has ended may become known a moment after the end. */
	async #findFailure(container: ContainerPort): Promise<Start> {
		if (!container.running && this.#watching !== null) await within(this.#host.clock, this.#watching);
		return startOf(this.#failure);
	}

	/** Watches the container in the background, because only running work keeps the object and its container alive. */
	#watch(container: ContainerPort): void {
		if (this.#watching !== null) return;
		this.#failure = null;
		const { log, background } = this.#host;
		this.#watching = container
			.monitor()
			.catch((error: unknown) => {
				this.#failure = error;
				log.error("grader_container_failed", describeError(error));
			})
			.finally(() => {
				this.#watching = null;
			});
		background(this.#watching);
	}

	async #probe(container: ContainerPort): Promise<"up" | "no room" | "silent"> {
		try {
			const response = await within(this.#host.clock, container.getTcpPort(PORT).fetch(`${ORIGIN}/health`));
			await response?.body?.cancel();
			return response?.ok === true ? "up" : "silent";
		} catch (error) {
			return startOf(error) === "no room" ? "no room" : "silent";
		}
	}

	async #pass(container: ContainerPort, request: Request): Promise<Response> {
		const headers = new Headers(request.headers);
		headers.set("Authorization", `Bearer ${await this.#host.readToken()}`);
		const { pathname } = new URL(request.url);
		try {
			return await container.getTcpPort(PORT).fetch(`${ORIGIN}${pathname}`, { method: request.method, headers, body: request.body });
		} catch (error) {
			this.#host.log.error("grader_container_unreachable", describeError(error));
			return respond(503, "The grader in the container does not respond.");
		}
	}
}

type Start = "up" | "no room" | "bad start";

/** Returns the result of a step of the runtime, or null if it takes longer than {@link STEP_LIMIT_MS}. */
async function within<Result>(clock: Clock, step: Promise<Result>): Promise<Result | null> {
	let stopTimer = () => {};
	const limit = new Promise<null>((resolve) => {
		stopTimer = clock.after(STEP_LIMIT_MS, () => resolve(null));
	});
	return Promise.race([step, limit]).finally(() => stopTimer());
}

function startOf(failure: unknown): Start {
	return failure instanceof Error && NO_ROOM.test(failure.message) ? "no room" : "bad start";
}

function respond(status: number, message: string): Response {
	return Response.json({ message }, { status });
}
