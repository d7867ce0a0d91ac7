// Runs the verbs of the admin API as commands.
// A command prints the response of the last request, which is usually the only one, or the response of each act.
import { z } from "zod";
import { SWITCHES } from "../../src/domain/switches.ts";
import { CommandError } from "../support/command.ts";

export interface VerbOptions {
	readonly reason?: string | undefined;
	readonly message?: string | undefined;
	readonly state?: string | undefined;
	readonly limit?: string | undefined;
	readonly cursor?: string | undefined;
	readonly table?: string | undefined;
	readonly offset?: string | undefined;
	readonly failure?: string | undefined;
	readonly since?: string | undefined;
	readonly from?: string | undefined;
}

export interface AdminRequest {
	readonly method: "GET" | "POST" | "PUT" | "DELETE";
	/** The path below the origin, with its query. */
	readonly path: string;
	readonly body?: unknown;
	/** Returns the request that follows a response, or null after the last one. Undefined if there is only one request. */
	next?(response: string): AdminRequest | null;
	/** True if the request is one of several acts. The command then prints the responses of all of them. */
	readonly isOneOfMany?: boolean;
	/** Returns true if the command prints this response as well, although other requests follow it. */
	keeps?(response: string): boolean;
}

export interface Verb {
	/** The form of the command's arguments, for people. */
	readonly usage: string;
	readonly summary: string;
	request(args: readonly string[], options: VerbOptions): AdminRequest;
}

const REASON = '--reason "why"';

export const VERBS: Readonly<Record<string, Verb>> = {
	"suspend-agent": act("<agent_id>...", {
		kind: "agents",
		verb: "suspend",
		summary: "Rejects all credentials of an agent and hides its tasks.",
	}),
	"restore-agent": act("<agent_id>...", { kind: "agents", verb: "restore", summary: "Ends a suspension." }),
	"export-agent": read("<agent_id>", "Prints all data about an agent.", (id) => `agents/${id}/export`),
	"erase-agent": {
		...act("<agent_id>", { kind: "agents", verb: "data", summary: "Erases what identifies an agent. This cannot be undone." }),
		request: (args, options) => ({ method: "DELETE", path: pathOf("agents", args, "data"), body: { reason: reasonOf(options) } }),
	},
	"take-down-task": act("<task_id>...", { kind: "tasks", verb: "take-down", summary: "Hides a task and stops new submissions." }),
	"restore-task": {
		usage: `<task_id>... [--from copy] ${REASON}`,
		summary: "Restores a task that was taken down. With --from copy, restores a lost task from its copy in the bucket.",
		request: restoreTask,
	},
	"restore-workspace": {
		usage: `<agent_id>... --from copy ${REASON}`,
		summary: "Restores an empty workspace from its copy in the bucket.",
		request: restoreWorkspace,
	},
	"void-submission": act("<submission_id>...", {
		kind: "submissions",
		verb: "void",
		summary: "Takes a submission out of the competition and gives the slot back.",
	}),
	"re-evaluate-submission": act("<submission_id>...", {
		kind: "submissions",
		verb: "re-evaluate",
		summary: "Has a submission judged again.",
	}),
	find: read("<text>", "Finds agents and tasks by a part of their name or title.", (text) => `directory?q=${text}`),
	"list-jobs": read("[--state waiting|running|stuck|failed] [--limit n] [--cursor c]", "Lists work that has not succeeded.", () => "jobs"),
	"show-submission": read(
		"<submission_id>",
		"Shows the whole history of a submission: rows of its task, webhook deliveries, and what operators did.",
		(id) => `submissions/${id}`,
	),
	"retry-job": act("<job_id>...", { kind: "jobs", verb: "retry", summary: "Retries a job now." }),
	"retry-jobs": {
		usage: `--failure platform --since <moment> ${REASON}`,
		summary: "Retries all evaluations that failed for the same reason since a time, such as 2026-11-20T12:00:00Z.",
		request: alone(retryJobs),
	},
	"show-switches": read("", "Shows what is switched off.", () => "switches"),
	"set-switch": {
		usage: `<${SWITCHES.join("|")}> <on|off> [--message "text"] [${REASON}]`,
		summary: "Switches a part of the platform off, with a message for callers, or on again.",
		request: setSwitch,
	},
	"show-spend": read("", "Shows the cost of judging, and its ceilings.", () => "spend"),
	"set-ceiling": {
		usage: `<task_usd|task_budget_percent|poster_day_usd|deployment_day_usd> <number|none|configured> ${REASON}`,
		summary: "Sets the spending ceilings for judging.",
		request: setCeiling,
	},
	"test-grader": {
		usage: REASON,
		summary: "Tests the grader: it pulls an image and runs it. /ready shows the result.",
		request: alone((options) => ({ method: "POST", path: "/api/admin/grader/test", body: { reason: reasonOf(options) } })),
	},
	"test-judge": {
		usage: REASON,
		summary: "Tests whether each model can judge, and what its server accepts. The verdicts take effect at once.",
		request: alone((options) => testJudge(reasonOf(options), null)),
	},
	"rebuild-search": {
		usage: `[${REASON}]`,
		summary: "Refills the search index after it was lost or could not be written for an hour.",
		request: alone(({ reason = "The index is refilled." }) => rebuild("search", reason)),
	},
	"rebuild-directory": {
		usage: `[${REASON}]`,
		summary: "Rewrites all cards, which lists and profiles read, after the database was lost or restored.",
		request: alone(({ reason = "The cards are rewritten." }) => rebuild("directory", reason)),
	},
	"verify-objects": {
		usage: `[${REASON}]`,
		summary: "Wakes the objects of all tasks, agents and webhooks, and lists those that fail.",
		request: alone(({ reason = "The objects are verified." }) => verifyObjects(reason)),
	},
	"inspect-task": {
		usage: "<task_id> [--table name] [--offset n] [--limit n]",
		summary: "Prints the content of a task's object.",
		request: (args, { table, offset, limit }) => ({
			method: "GET",
			path: withQuery(pathOf("tasks", args, "inspect"), { table, offset, limit }),
		}),
	},
	"rewind-task": {
		usage: `<task_id> <moment> ${REASON}`,
		summary: "Rewinds a task to an earlier time, such as 2026-11-20T12:00:00Z. Only for deployments.",
		request: rewindTask,
	},
	"show-metrics": read("", "Shows how busy the platform is.", () => "metrics"),
	"list-audit": read("[--limit n] [--cursor c]", "Lists what operators did, newest first.", () => "audit"),
	"list-reports": {
		usage: "[--state open|resolved] [--limit n] [--cursor c]",
		summary: "Lists reports of agents, newest first. By default, only open reports.",
		request: alone(({ state: status, limit, cursor }) => get(withQuery("reports", { status, limit, cursor }))),
	},
	"resolve-report": act("<report_id>...", {
		kind: "reports",
		verb: "resolve",
		summary: "Marks a report as resolved, after you have acted on it or decided not to.",
	}),
};

const testStep = z.object({ next_model: z.string().nullable() });

/** Tests one model after the other, because each takes minutes. */
function testJudge(reason: string, model: string | null): AdminRequest {
	return {
		method: "POST",
		path: "/api/admin/judge/test",
		body: { reason, ...(model === null ? {} : { model }) },
		isOneOfMany: true,
		next(response) {
			const { next_model } = testStep.parse(JSON.parse(response));
			return next_model === null ? null : testJudge(reason, next_model);
		},
	};
}

const rebuildStep = z.object({ last: z.looseObject({}).nullable() });

function retryJobs({ failure, since, ...options }: VerbOptions): AdminRequest {
	if (failure === undefined || since === undefined) throw new CommandError("Say which failures: --failure platform --since <moment>.");
	const moment = new Date(since);
	if (Number.isNaN(moment.getTime())) throw new CommandError(`${JSON.stringify(since)} is not a moment such as 2026-11-20T12:00:00Z.`);
	return retryStep({ failure, since: moment.toISOString(), reason: reasonOf(options) });
}

/** Requests the first step. Each response leads to the next step, until the last one. */
function retryStep(body: Readonly<Record<string, unknown>>): AdminRequest {
	return {
		method: "POST",
		path: "/api/admin/retries",
		body,
		next(response) {
			const { last } = rebuildStep.parse(JSON.parse(response));
			return last === null ? null : retryStep({ ...body, after: last });
		},
	};
}

/** Requests the first step. Each response leads to the next step, until the last one. */
function rebuild(what: "search" | "directory", reason: string, after?: object): AdminRequest {
	return {
		method: "POST",
		path: `/api/admin/${what}/rebuild`,
		body: { reason, after },
		next(response) {
			const { last } = rebuildStep.parse(JSON.parse(response));
			return last === null ? null : rebuild(what, reason, last);
		},
	};
}

function restoreTask(args: readonly string[], options: VerbOptions): AdminRequest {
	const { from } = options;
	if (from !== undefined && from !== "copy") throw new CommandError(`A task is restored from its copy, not from ${JSON.stringify(from)}.`);
	const reason = reasonOf(options);
	if (from === "copy") return actOnEach(args, (id) => restoreStep(pathOf("tasks", id, "restore-copy"), { reason }));
	return actOnEach(args, (id) => ({ method: "POST", path: pathOf("tasks", id, "restore"), body: { reason } }));
}

function restoreWorkspace(args: readonly string[], options: VerbOptions): AdminRequest {
	if (options.from !== "copy") throw new CommandError("Say from what: --from copy.");
	const reason = reasonOf(options);
	return actOnEach(args, (id) => ({ method: "POST", path: pathOf("agents", id, "restore-copy"), body: { reason } }));
}

/** Requests the first step. Each response leads to the next step, until the last one. */
function restoreStep(path: string, body: Readonly<Record<string, unknown>>): AdminRequest {
	return {
		method: "POST",
		path,
		body,
		next(response) {
			const { last } = rebuildStep.parse(JSON.parse(response));
			return last === null ? null : restoreStep(path, { ...body, after: last });
		},
	};
}

const verifyStep = z.object({ failures: z.array(z.unknown()) });

/** Requests the first step. Each response leads to the next step, until the last one. The command prints the steps that found failures. */
function verifyObjects(reason: string, after?: object): AdminRequest {
	return {
		method: "POST",
		path: "/api/admin/objects/verify",
		body: { reason, after },
		keeps: (response) => verifyStep.parse(JSON.parse(response)).failures.length > 0,
		next(response) {
			const { last } = rebuildStep.parse(JSON.parse(response));
			return last === null ? null : verifyObjects(reason, last);
		},
	};
}

function rewindTask(args: readonly string[], options: VerbOptions): AdminRequest {
	const [id, moment, ...others] = args;
	if (id === undefined || moment === undefined || others.length > 0) throw new CommandError("This command takes a task and a moment.");
	return { method: "POST", path: pathOf("tasks", [id], "rewind"), body: { to: moment, reason: reasonOf(options) } };
}

function withQuery(path: string, parameters: Readonly<Record<string, string | undefined>>): string {
	const given = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
	const query = new URLSearchParams(given);
	return query.size === 0 ? path : `${path}?${query}`;
}

interface Act {
	/** The name of the subject in the path. */
	readonly kind: string;
	readonly verb: string;
	readonly summary: string;
}

function act(argument: string, { kind, verb, summary }: Act): Verb {
	return {
		usage: `${argument} ${REASON}`,
		summary,
		request: (args, options) =>
			actOnEach(args, (id) => ({ method: "POST", path: pathOf(kind, id, verb), body: { reason: reasonOf(options) } })),
	};
}

/** Makes one request for each subject, so that each has a separate entry in the audit log. */
function actOnEach([id, ...others]: readonly string[], requestFor: (id: readonly string[]) => AdminRequest): AdminRequest {
	const request = requestFor(id === undefined ? [] : [id]);
	return others.length === 0 ? request : followed(request, () => actOnEach(others, requestFor));
}

/** Makes all steps of a request, and then the next request. */
function followed(request: AdminRequest, then: () => AdminRequest): AdminRequest {
	return {
		...request,
		isOneOfMany: true,
		next(response) {
			const step = request.next?.(response) ?? null;
			return step === null ? then() : followed(step, then);
		},
	};
}

/** A command with options only. */
function alone(requestFor: (options: VerbOptions) => AdminRequest): Verb["request"] {
	return (args, options) => {
		if (args.length > 0) throw new CommandError(`This command takes no argument such as ${JSON.stringify(args[0])}.`);
		return requestFor(options);
	};
}

function read(usage: string, summary: string, pathFor: (argument: string) => string): Verb {
	return {
		usage,
		summary,
		request(args, options) {
			if (usage.startsWith("<")) return get(pathFor(encodeURIComponent(onlyOf(args))));
			return alone(({ state, limit, cursor }) => get(withQuery(pathFor(""), { state, limit, cursor })))(args, options);
		},
	};
}

function get(path: string): AdminRequest {
	return { method: "GET", path: `/api/admin/${path}` };
}

function pathOf(kind: string, args: readonly string[], verb: string): string {
	return `/api/admin/${kind}/${encodeURIComponent(onlyOf(args))}/${verb}`;
}

function onlyOf(args: readonly string[]): string {
	const [argument] = args;
	if (argument === undefined) throw new CommandError("An argument is missing.");
	if (args.length > 1) throw new CommandError("This command takes one argument.");
	return argument;
}

function reasonOf({ reason }: VerbOptions): string {
	if (reason === undefined || reason === "") throw new CommandError(`Say why: ${REASON}. The reason is written to the audit log.`);
	return reason;
}

const CEILINGS = ["task_usd", "task_budget_percent", "poster_day_usd", "deployment_day_usd"];

function setCeiling(args: readonly string[], options: VerbOptions): AdminRequest {
	const [name = "", value = ""] = args;
	if (args.length !== 2 || !CEILINGS.includes(name)) throw new CommandError("These are not the arguments of set-ceiling.");
	return { method: "PUT", path: "/api/admin/spend/ceilings", body: { ...toCeiling(name, value), reason: reasonOf(options) } };
}

function toCeiling(name: string, text: string): Readonly<Record<string, unknown>> {
	if (text === "none") return { [name]: null };
	if (text === "configured") return { as_configured: [name] };
	if (/^\d+(\.\d+)?$/.test(text)) return { [name]: Number(text) };
	throw new CommandError(`${JSON.stringify(text)} is not a ceiling. Write a number, none or configured.`);
}

function setSwitch(args: readonly string[], { message, reason }: VerbOptions): AdminRequest {
	const [name, state] = args;
	if (args.length !== 2 || !SWITCHES.some((known) => known === name) || (state !== "on" && state !== "off")) {
		throw new CommandError("These are not the arguments of set-switch.");
	}
	const setting = { on: state === "on", ...(message === undefined ? {} : { message }) };
	return { method: "PUT", path: "/api/admin/switches", body: { [`${name}`]: setting, ...(reason === undefined ? {} : { reason }) } };
}
