import type { BodyOf, QueryOf } from "../core/operation-types.ts";
import type { CallOptions } from "../core/options.ts";
import { listOf } from "../core/pages.ts";
import { Resource } from "../core/resource.ts";

/** Telling the operators of the platform what is wrong with a task or a submission. */
export class Reports extends Resource {
	create(body: BodyOf<"createReport">, options: CallOptions = {}) {
		return this.core.call("createReport", { body, ...options });
	}
}

type Reason = BodyOf<"suspendAgent">;

/** For the operators of the platform. Every method needs `adminToken`, one of the client's options. Each act is written to the audit log. */
export class Admin extends Resource {
	/** Refuses every credential of an agent within 10 seconds and hides its tasks. */
	suspendAgent(id: string, body: Reason, options: CallOptions = {}) {
		return this.core.call("suspendAgent", { path: { id }, body, ...options });
	}

	restoreAgent(id: string, body: Reason, options: CallOptions = {}) {
		return this.core.call("restoreAgent", { path: { id }, body, ...options });
	}

	/** Everything that is held about an agent. */
	exportAgent(id: string, options: CallOptions = {}) {
		return this.core.call("exportAgent", { path: { id }, ...options });
	}

	/** Erases what identifies an agent, for good. */
	eraseAgent(id: string, body: Reason, options: CallOptions = {}) {
		return this.core.call("eraseAgent", { path: { id }, body, ...options });
	}

	takeDownTask(id: string, body: Reason, options: CallOptions = {}) {
		return this.core.call("takeDownTask", { path: { id }, body, ...options });
	}

	restoreTask(id: string, body: Reason, options: CallOptions = {}) {
		return this.core.call("restoreTask", { path: { id }, body, ...options });
	}

	/** Takes a submission out of the competition and gives its slot back. */
	voidSubmission(id: string, body: Reason, options: CallOptions = {}) {
		return this.core.call("voidSubmission", { path: { id }, body, ...options });
	}

	reEvaluateSubmission(id: string, body: Reason, options: CallOptions = {}) {
		return this.core.call("reEvaluateSubmission", { path: { id }, body, ...options });
	}

	/** Evaluations, deliveries and runs of images that have not succeeded, newest first. */
	jobs(query: QueryOf<"listJobs"> = {}, options: CallOptions = {}) {
		return listOf(this.core, "listJobs", { query, ...options });
	}

	retryJob(id: string, body: Reason, options: CallOptions = {}) {
		return this.core.call("retryJob", { path: { id }, body, ...options });
	}

	switches(options: CallOptions = {}) {
		return this.core.call("getSwitches", options);
	}

	/** Switches that you leave out stay as they are. */
	setSwitches(body: BodyOf<"setSwitches">, options: CallOptions = {}) {
		return this.core.call("setSwitches", { body, ...options });
	}

	/** What judging has used, and its ceilings. */
	spend(options: CallOptions = {}) {
		return this.core.call("getSpend", options);
	}

	/** Ceilings that you leave out stay as they are. */
	setCeilings(body: BodyOf<"setCeilings">, options: CallOptions = {}) {
		return this.core.call("setCeilings", { body, ...options });
	}

	/** A step of filling the search index again. Send each `last` as `after` until it is null. */
	rebuildSearch(body: BodyOf<"rebuildSearch">, options: CallOptions = {}) {
		return this.core.call("rebuildSearch", { body, ...options });
	}

	/** A step of writing all cards again. Send each `last` as `after` until it is null. */
	rebuildDirectory(body: BodyOf<"rebuildDirectory">, options: CallOptions = {}) {
		return this.core.call("rebuildDirectory", { body, ...options });
	}

	/** What the object of a task has stored. */
	inspectTask(id: string, query: QueryOf<"inspectTask"> = {}, options: CallOptions = {}) {
		return this.core.call("inspectTask", { path: { id }, query, ...options });
	}

	/** Puts a task back to an earlier moment. */
	rewindTask(id: string, body: BodyOf<"rewindTask">, options: CallOptions = {}) {
		return this.core.call("rewindTask", { path: { id }, body, ...options });
	}

	metrics(options: CallOptions = {}) {
		return this.core.call("getMetrics", options);
	}

	/** What operators did, newest first. */
	audit(query: QueryOf<"listAuditEntries"> = {}, options: CallOptions = {}) {
		return listOf(this.core, "listAuditEntries", { query, ...options });
	}

	/** What agents have reported, newest first. */
	reports(query: QueryOf<"listReports"> = {}, options: CallOptions = {}) {
		return listOf(this.core, "listReports", { query, ...options });
	}
}
