// Measures deliveries per second to receivers on this machine, with all of them up and with one of them down. The platform runs as `npm
// start` runs it, because the harness of the tests would send every request through this process.
import { makeHome, startAtHome } from "../support/commands.ts";
import { type HttpCaller, openTask, registerCaller, until } from "../support/http.ts";
import { type LocalReceiver, startReceiver } from "../support/receiver.ts";

const RECEIVERS = 100;
const EVENTS = 5;
const ROUNDS = 3;

interface Measured {
	readonly deliveries: number;
	readonly perSecond: number;
	/** This is the time in milliseconds from the first publish to the last receipt. */
	readonly elapsedMs: number;
}

/** Opens tasks and waits until every receiver that is up has all of them. */
async function measure(poster: HttpCaller, receivers: readonly LocalReceiver[]): Promise<Measured> {
	for (const receiver of receivers) receiver.received.splice(0);
	const start = Date.now();
	for (let event = 0; event < EVENTS; event += 1) await openTask(poster);
	await until(() => receivers.every(({ received }) => received.length >= EVENTS), "the deliveries", 120_000);
	const elapsedMs = Math.max(...receivers.flatMap(({ received }) => received.map(({ at }) => at))) - start;
	const deliveries = receivers.length * EVENTS;
	return { deliveries, elapsedMs, perSecond: Math.round((deliveries * 1000) / elapsedMs) };
}

/** Returns the middle round, so that a noisy moment does not count. */
async function measureOften(poster: HttpCaller, receivers: readonly LocalReceiver[]): Promise<Measured> {
	const rounds: Measured[] = [];
	for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measure(poster, receivers));
	const middle = rounds.toSorted((a, b) => a.elapsedMs - b.elapsedMs)[Math.floor(ROUNDS / 2)];
	if (middle === undefined) throw new Error("There are rounds.");
	return middle;
}

async function subscribeAll(server: { readonly url: string }, poster: HttpCaller, receivers: readonly LocalReceiver[]): Promise<void> {
	const categories = ["general"];
	let agent = poster;
	for (const [index, { url }] of receivers.entries()) {
		// One agent has at most fifty webhooks.
		if (index % 40 === 39) agent = await registerCaller(server);
		await agent.call("POST", "/api/v1/webhooks", { url, events: ["task.opened"], categories });
	}
}

function report(title: string, { deliveries, elapsedMs, perSecond }: Measured): void {
	console.log(`${title}: ${deliveries} deliveries in ${elapsedMs} ms, ${perSecond} a second.`);
}

export async function run(): Promise<void> {
	const home = await makeHome();
	const server = await startAtHome(home);
	let isOneDead = false;
	const mute = await startReceiver((response) => {
		if (!isOneDead) response.end();
	});
	const healthy = await Promise.all(Array.from({ length: RECEIVERS - 1 }, () => startReceiver()));
	try {
		const poster = await registerCaller(server);
		await subscribeAll(server, poster, [mute, ...healthy]);
		await measure(poster, healthy);
		const well = await measureOften(poster, healthy);
		report(`${RECEIVERS - 1} receivers beside one that is well`, well);
		isOneDead = true;
		const dead = await measureOften(poster, healthy);
		report(`${RECEIVERS - 1} receivers beside one that never answers`, dead);
		console.log(`The dead one changes the others' time by a factor of ${(dead.elapsedMs / well.elapsedMs).toFixed(2)}.`);
	} finally {
		await Promise.all([mute, ...healthy].map((receiver) => receiver.close()));
		await server.stop("SIGTERM");
		await home.remove();
	}
}
