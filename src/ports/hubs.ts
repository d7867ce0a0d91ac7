import type { Topic } from "../domain/topics.ts";
import type { ExportPart, WrittenPart } from "./exports.ts";
import type { DeliveryMessage } from "./queues.ts";
import type { WorkspacePort } from "./workspace.ts";

/** The Durable Objects that the Worker calls. */
export interface Hubs {
	/** Wakes at a task's deadline, in milliseconds since the epoch. */
	scheduleDeadline(taskId: string, deadline: number): Promise<void>;
	/** Begins an attempt at a delivery, in parallel with all other webhooks. */
	sendDelivery(message: DeliveryMessage): Promise<void>;
	/** Notifies a stream's topic of a change. May be called any number of times. */
	publishTopic(topic: Topic): Promise<void>;
	/** Makes a stream's topic delete what it has stored, and read the state again. */
	eraseTopic(topic: Topic): Promise<void>;
	/** A mark that changes with each publication to a topic. */
	readTopicMark(topic: Topic): Promise<string>;
	/** Opens a socket to a relay of a topic, which the caller accepts. */
	watchTopic(watcher: Watcher): Promise<WebSocket>;
	/** How many streams are open. The number may lag by some seconds. */
	countWatchers(): Promise<number>;
	/** Calls the grader in this run's container. The container boots with the first POST and ends with DELETE. */
	callGrader(runId: string, url: string, init: RequestInit): Promise<Response>;
	/** Writes a part of an export in an object of its own. The stream fails when a read fails. */
	writeExportPart(part: ExportPart): Promise<WrittenPart>;
	/** Calls the workspace of an agent. Counted in {@link Hubs.use}. */
	callWorkspace<T>(agentId: string, call: (workspace: WorkspacePort) => Promise<T>): Promise<T>;
	/** Calls to objects that the request waits for. */
	readonly use: Readonly<{ calls: number }>;
}

/** A client that wants to follow a topic. */
export interface Watcher {
	readonly topic: Topic;
	/** The continent of the client. */
	readonly region: string;
	/** The number of the state that it has read. */
	readonly from: number;
	/** From 0 to 1. */
	readonly random: number;
}
