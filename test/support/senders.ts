// Runs the objects of webhooks under the test's control: they use the storage of real objects, but the test's clock and the test's outside
// world. The platform itself sends events to other objects.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { drizzle } from "drizzle-orm/durable-sqlite";
import { HostConsent, type HostMemory } from "../../src/core/events/webhooks/host-consent.ts";
import { HostPlaces } from "../../src/core/events/webhooks/host-places.ts";
import { DeliverySender } from "../../src/core/events/webhooks/object/delivery-sender.ts";
import type { WebhookSender } from "../../src/index.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { Hubs } from "../../src/ports/hubs.ts";
import type { NewDelivery, WebhookSenderPort } from "../../src/ports/webhook-sender.ts";
import type { ManualClock } from "./manual-clock.ts";

export interface HeldSenders {
	readonly hubs: Pick<Hubs, "callSender" | "enterHost" | "leaveHost" | "noteAgreement">;
	/** Maps webhooks to the times at which their objects wake up. */
	readonly alarms: Map<string, number>;
	/** Wakes the objects that are due. Their work continues in the background. */
	ring(): Promise<void>;
	/** Kills all objects: what they have in memory is lost, and their unfinished work takes no effect. */
	kill(): void;
}

interface HeldSender {
	readonly sender: DeliverySender;
	/** The runtime evicts the real object from memory when it is idle. */
	readonly object: WebhookSender;
	isDead: boolean;
}

/** What dependencies may know about the object that uses them. */
export interface SenderLife {
	readonly webhookId: string;
	die(): void;
}

/** @param openDeps Runs for each attempt and alarm of an object. */
export function holdSenders(clock: ManualClock, openDeps: (life: SenderLife) => Deps): HeldSenders {
	const senders = new Map<string, HeldSender>();
	const alarms = new Map<string, number>();
	const places = new Map<string, HostPlaces>();
	const placesOf = (host: string) => {
		const found = places.get(host) ?? new HostPlaces(clock, new HostConsent(memoryOf(host), clock));
		places.set(host, found);
		return found;
	};
	const openSender = async (webhookId: string, state: DurableObjectState): Promise<Omit<HeldSender, "object">> => {
		const life = { isDead: false };
		const alarm = {
			getAlarm: async () => alarms.get(webhookId) ?? null,
			async setAlarm(at: number | Date) {
				if (!life.isDead) alarms.set(webhookId, Number(at));
			},
		};
		const die = () => {
			life.isDead = true;
		};
		const openOwnDeps = (): Deps => {
			const deps = openDeps({ webhookId, die });
			const fetch: Deps["fetch"] = (url, init) => (life.isDead ? Promise.reject(new Dead(DEAD)) : deps.fetch(url, init));
			return { ...deps, fetch };
		};
		const db = drizzle(untilDeath(state.storage, life));
		const sender = new DeliverySender(state, env, { db, alarm, clock, openDeps: openOwnDeps });
		await sender.wake();
		return Object.assign(life, { sender });
	};
	/** Runs work inside a real object, because nothing else may use its storage. The real object must not wake up by itself. */
	const call = <T>(webhookId: string, work: (sender: DeliverySender) => Promise<T>): Promise<T> =>
		runInDurableObject(env.WEBHOOK_SENDER.getByName(`held ${webhookId}`), async (object, state) => {
			if ((await state.storage.getAlarm()) !== null) await state.storage.deleteAlarm();
			const known = senders.get(webhookId);
			const isThere = known !== undefined && !known.isDead && known.object === object;
			const held = isThere ? known : Object.assign(await openSender(webhookId, state), { object });
			senders.set(webhookId, held);
			return work(held.sender);
		});
	return {
		alarms,
		hubs: {
			callSender: (webhookId, work) => call(webhookId, work),
			enterHost: async (host, holder, visit) => placesOf(host).admit(holder, visit),
			leaveHost: async (host, holder) => placesOf(host).leave(holder),
			noteAgreement: async (host) => placesOf(host).agree(),
		},
		async ring() {
			const due = [...alarms].filter(([, at]) => at <= clock.now()).map(([webhookId]) => webhookId);
			for (const webhookId of due) alarms.delete(webhookId);
			await Promise.all(due.map((webhookId) => call(webhookId, (sender) => sender.alarm())));
		},
		kill() {
			for (const held of senders.values()) held.isDead = true;
			senders.clear();
		},
	};
}

/** What hosts have agreed to. All held platforms share it, as all Workers do. */
const memories = new Map<string, Map<string, unknown>>();

function memoryOf(host: string): HostMemory {
	const memory = memories.get(host) ?? new Map<string, unknown>();
	memories.set(host, memory);
	return {
		get: <Value>(key: string) => memory.get(key) as Value | undefined,
		put: (key, value) => memory.set(key, value),
		forgetAt: () => undefined,
	};
}

class Dead extends Error {}
const DEAD = "The object has died.";

/** Returns the storage of an object, which a dead one cannot use any more. */
function untilDeath(storage: DurableObjectStorage, life: { readonly isDead: boolean }): DurableObjectStorage {
	return new Proxy(storage, {
		get(target, name) {
			if (life.isDead) throw new Dead(DEAD);
			const member: unknown = Reflect.get(target, name);
			return typeof member === "function" ? member.bind(target) : member;
		},
	});
}

export interface HandedDelivery {
	readonly webhookId: string;
	readonly eventId: string;
	readonly eventType: string;
	readonly body: string;
}

/**
 * Returns objects that only record their deliveries, for events with more subscriptions than the number of objects that a test can have.
 */
export function recordSenders(fail: (handed: HandedDelivery) => void = () => {}) {
	const handed: HandedDelivery[] = [];
	const refuse = () => Promise.reject(new Error("This object only takes deliveries."));
	const senderOf = (webhookId: string): WebhookSenderPort => ({
		async deliver({ eventId, eventType, body }: NewDelivery) {
			fail({ webhookId, eventId, eventType, body });
			handed.push({ webhookId, eventId, eventType, body });
		},
		...{ deliverNow: refuse, replay: refuse, refresh: refuse, listDeliveries: refuse, listUnsuccessful: refuse },
		...{ findUnsuccessful: refuse, hasten: refuse, eraseAbout: refuse, erase: refuse },
	});
	const callSender: Hubs["callSender"] = (webhookId, call) => call(senderOf(webhookId));
	return { handed, callSender };
}
