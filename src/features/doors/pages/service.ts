import * as z from "zod";
import { preferredType } from "../../../http/negotiation.ts";
import { sharedHeaders, TASKS_TAG } from "../../../http/shared-responses.ts";
import { describeError } from "../../../platform/log.ts";
import type { PublicCtx } from "../../../ports/deps.ts";
import { listNewestTasks } from "../../competition/public-reading/feed.ts";
import { readPublicBoard } from "../../competition/public-reading/get-public-leaderboard.ts";
import { readPublicTask } from "../../competition/public-reading/get-public-task.ts";
import { searchOpenTasks } from "../../competition/search/search-tasks.ts";
import { listPublicTasks } from "../../competition/tasks/list-tasks.ts";
import { listPages, showText } from "../site/docs-service.ts";
import { DISCOVERY_LINKS, PAGE_HEADERS } from "../site/rules.ts";
import { pageFiles } from "./page-files.ts";
import * as rules from "./rules.ts";
import { buildSitemap } from "./sitemap.ts";

/** On first use: most requests need no page, and scripts that read the contracts run on Node, which has no JSX. */
const loadViews = () => import("./views.tsx");

const HTML = { ...PAGE_HEADERS, "Content-Type": "text/html; charset=utf-8" } as const;
const NEGOTIATED = { Vary: "Accept", Link: DISCOVERY_LINKS } as const;
/** Cloudflare purges all forms of a URL together, so they need the same tag. */
const HOME = { ...NEGOTIATED, "Cache-Tag": TASKS_TAG } as const;

/** What every page shows of its surroundings. */
async function frameOf({ assets, baseUrl, clock }: PublicCtx) {
	return { files: await assets.readJson("pages.json", pageFiles), baseUrl, now: clock.now() };
}

/** The start page in the form that the caller reads best. */
export async function showHome(ctx: PublicCtx, request: Request): Promise<Response> {
	switch (preferredType(request.headers.get("Accept"), ["application/json", "text/html", "text/markdown"])) {
		case "text/html":
			return showHomePage(ctx);
		case "text/markdown":
			return showText(ctx, { path: "llms.txt", contentType: "text/markdown; charset=utf-8", headers: HOME });
		case "application/json":
			return showText(ctx, { path: "home.json", contentType: "application/json", headers: HOME });
	}
}

async function showHomePage(ctx: PublicCtx): Promise<Response> {
	const { data } = await listPublicTasks(ctx, { limit: rules.HOME_CANDIDATES });
	const busiest = rules.findBusiest(data);
	const board = busiest === null ? null : await readPublicBoard(ctx, { taskId: busiest.id, limit: rules.HOME_BOARD_ROWS });
	const { renderHome } = await loadViews();
	const page = await renderHome(await frameOf(ctx), {
		tasks: data.slice(0, rules.HOME_TASKS),
		live: busiest === null || board === null ? null : { task: busiest, board },
		isLocal: ctx.config.environment === "development",
	});
	const shared = sharedHeaders({ seconds: rules.PAGE_MAX_AGE_SECONDS, of: "tasks" });
	return new Response(page, { headers: { ...HTML, ...NEGOTIATED, ...shared } });
}

interface AskedTasks {
	readonly filter: rules.TaskFilter;
	readonly cursor: string | undefined;
}

/** Open tasks, as the form asks for them. */
export async function showTasks(ctx: PublicCtx, { filter, cursor }: AskedTasks): Promise<Response> {
	const [found, { renderTasks }] = [await findTasks(ctx, { filter, cursor }), await loadViews()];
	const page = await renderTasks(await frameOf(ctx), { filter, ...found, isFirst: cursor === undefined });
	return new Response(page, { headers: HTML });
}

interface FoundTasks {
	readonly tasks: readonly rules.ListedTask[];
	readonly next: string | null;
}

async function findTasks(ctx: PublicCtx, { filter, cursor }: AskedTasks): Promise<FoundTasks> {
	const { q, category, mode, min_budget, sort } = filter;
	if (q !== undefined) {
		const { data, next_cursor } = await searchOpenTasks(ctx, { query: q, category, limit: rules.SEARCHED_PER_PAGE, cursor });
		return { tasks: data.filter((task) => rules.matchesFilter(task, filter)), next: next_cursor };
	}
	if (sort === "newest") {
		const newest = await listNewestTasks(ctx, category);
		return { tasks: newest.filter((task) => rules.matchesFilter(task, filter)), next: null };
	}
	const inCents = { category, eval_mode: mode, min_budget_cents: min_budget === undefined ? undefined : min_budget * 100 };
	const { data, next_cursor } = await listPublicTasks(ctx, { ...inCents, limit: rules.TASKS_PER_PAGE, cursor });
	return { tasks: data, next: next_cursor };
}

/**
 * A task with its leaderboard.
 *
 * @throws AppError `NOT_FOUND`, for drafts too.
 */
export async function showTask(ctx: PublicCtx, taskId: string): Promise<Response> {
	const [task, board] = await Promise.all([readPublicTask(ctx, taskId), readPublicBoard(ctx, { taskId, limit: rules.BOARD_ROWS })]);
	const { renderTask } = await loadViews();
	return new Response(await renderTask(await frameOf(ctx), { task, board }), { headers: HTML });
}

/** Every page that a crawler may list: the newest open tasks, the documentation, and the pages around them. */
export async function showSitemap(ctx: PublicCtx): Promise<Response> {
	const [tasks, pages] = await Promise.all([listNewestTasks(ctx, undefined), listPages(ctx)]);
	const docs = pages.map(({ slug }) => (slug === "index" ? "/docs" : `/docs/${slug}`));
	const text = buildSitemap(ctx.baseUrl, { paths: ["/", "/tasks", ...docs], tasks });
	return new Response(text, { headers: { "Content-Type": "application/xml; charset=utf-8" } });
}

const envelope = z.object({ error: z.object({ message: z.string(), code: z.string() }) });
/** To a reader a malformed id in a URL is a page that does not exist. */
const MISSING = ["NOT_FOUND", "INVALID_UUID"];

/**
 * What a browser shows in place of an error's JSON; null for a caller that does not read pages.
 *
 * @param refusal The error as JSON. The page has its headers and status.
 */
export async function showError(ctx: PublicCtx, request: Request, refusal: Response): Promise<Response | null> {
	const isRead = request.method === "GET" || request.method === "HEAD";
	if (!isRead || preferredType(request.headers.get("Accept"), ["application/json", "text/html"]) === "application/json") return null;
	try {
		const { error } = envelope.parse(await refusal.clone().json());
		const isMissing = MISSING.includes(error.code);
		const { renderError } = await loadViews();
		const page = await renderError(await frameOf(ctx), isMissing ? null : error.message);
		const headers = new Headers(refusal.headers);
		for (const [name, value] of Object.entries({ ...HTML, ...NEGOTIATED })) headers.set(name, value);
		return new Response(page, { status: isMissing ? 404 : refusal.status, headers });
	} catch (error) {
		ctx.log.error("error_page_failed", describeError(error));
		return null;
	}
}
