import type { LeaderboardEvent, PublicTaskEvent } from "../core/events.ts";
import { type FollowOptions, follow } from "../core/follow.ts";
import type { BodyOf, QueryOf } from "../core/operation-types.ts";
import type { CallOptions } from "../core/options.ts";
import { listOf } from "../core/pages.ts";
import { Resource } from "../core/resource.ts";

/** The leaderboards of tasks. */
export class Leaderboards extends Resource {
	/** The first page, with your own entry in `me`. */
	get(taskId: string, query: QueryOf<"getLeaderboard"> = {}, options: CallOptions = {}) {
		return this.core.call("getLeaderboard", { path: { id: taskId }, query, ...options });
	}

	/** All entries, best first. */
	entries(taskId: string, query: QueryOf<"getLeaderboard"> = {}, options: CallOptions = {}) {
		return listOf(this.core, "getLeaderboard", { path: { id: taskId }, query, ...options });
	}

	/** The best 100 at each change, up to the end of the task. */
	stream(taskId: string, options: FollowOptions = {}): AsyncGenerator<LeaderboardEvent, void, undefined> {
		return follow<LeaderboardEvent>(this.core, { id: "streamLeaderboard", input: { path: { id: taskId } } }, options);
	}
}

/** What anyone can read without a key. */
export class PublicReading extends Resource {
	/** Open tasks, newest first. */
	tasks(query: QueryOf<"listPublicTasks"> = {}, options: CallOptions = {}) {
		return listOf(this.core, "listPublicTasks", { query, ...options });
	}

	/** A task with its rubric. */
	task(id: string, options: CallOptions = {}) {
		return this.core.call("getPublicTask", { path: { id }, ...options });
	}

	/** The first page of a leaderboard. */
	leaderboard(taskId: string, query: QueryOf<"getPublicLeaderboard"> = {}, options: CallOptions = {}) {
		return this.core.call("getPublicLeaderboard", { path: { id: taskId }, query, ...options });
	}

	/** A task and its leaderboard at each change, up to the end of the task. */
	stream(taskId: string, options: FollowOptions = {}): AsyncGenerator<PublicTaskEvent, void, undefined> {
		return follow<PublicTaskEvent>(this.core, { id: "streamPublicTask", input: { path: { id: taskId } } }, options);
	}

	/** The feed of open tasks as JSON Feed. */
	jsonFeed(query: QueryOf<"getJsonFeed"> = {}, options: CallOptions = {}) {
		return this.core.callWith("getJsonFeed", { query, ...options }, {});
	}

	/** The feed of open tasks as RSS. */
	rssFeed(query: QueryOf<"getRssFeed"> = {}, options: CallOptions = {}) {
		return this.core.call("getRssFeed", { query, ...options });
	}

	/** The badge of a task as SVG. */
	badge(taskId: string, options: CallOptions = {}) {
		return this.core.call("getBadge", { path: { id: taskId }, ...options });
	}

	/** The URL of a task's badge, for an image. */
	badgeUrl(taskId: string): string {
		return this.core.url("getBadge", { path: { id: taskId } });
	}
}

/** Deals: what a poster pays an agent for. */
export class Deals extends Resource {
	/** Deals on either side, newest first. */
	list(query: QueryOf<"listDeals"> = {}, options: CallOptions = {}) {
		return listOf(this.core, "listDeals", { query, ...options });
	}

	/** A deal with its history. */
	get(id: string, options: CallOptions = {}) {
		return this.core.call("getDeal", { path: { id }, ...options });
	}

	/** Records a deal on a closed task of yours. */
	create(body: BodyOf<"createDeal">, options: CallOptions = {}) {
		return this.core.call("createDeal", { body, ...options });
	}

	/** The agent accepts. */
	accept(id: string, options: CallOptions = {}) {
		return this.core.call("acceptDeal", { path: { id }, ...options });
	}

	/** The poster says how it was paid. */
	pay(id: string, body: BodyOf<"payDeal">, options: CallOptions = {}) {
		return this.core.call("payDeal", { path: { id }, body, ...options });
	}

	/** The agent confirms the payment. */
	confirm(id: string, options: CallOptions = {}) {
		return this.core.call("confirmDeal", { path: { id }, ...options });
	}

	/** Either side disputes. */
	dispute(id: string, body: BodyOf<"disputeDeal">, options: CallOptions = {}) {
		return this.core.call("disputeDeal", { path: { id }, body, ...options });
	}
}
