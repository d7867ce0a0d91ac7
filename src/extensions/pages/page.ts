// What the endpoints of pages have in common.
import * as z from "zod";
import { UNCHANGED } from "../../core/docs/built-text.ts";
import { DISCOVERY_LINKS, PAGE_HEADERS } from "../../core/docs/rules.ts";
import { describePauses } from "../../domain/switches.ts";
import type { EndpointContract } from "../../http/endpoint.ts";
import type { PublicCtx } from "../../ports/deps.ts";
import type { Frame } from "./layout.tsx";
import { pageFiles } from "./page-files.ts";
import { PAGE_MAX_AGE_SECONDS } from "./rules.ts";

let views: typeof import("./views.tsx") | undefined;

/**
 * Loads the views on first use, because most requests do not show a page, and some scripts read the contracts in Node, which does not
 * support JSX. Caches the module instead of its promise, because a request must not wait for the work of another request.
 */
export async function loadViews(): Promise<typeof import("./views.tsx")> {
	views ??= await import("./views.tsx");
	return views;
}

export const HTML = { ...PAGE_HEADERS, "Content-Type": "text/html; charset=utf-8" } as const;
/** Headers for a URL whose response depends on the Accept header. */
export const NEGOTIATED = { Vary: "Accept", Link: DISCOVERY_LINKS } as const;

/** Reads what the layout of every page needs. */
export async function frameOf({ assets, baseUrl, clock }: PublicCtx): Promise<Frame> {
	return { files: await assets.readJson("pages.json", pageFiles), baseUrl, now: clock.now(), pauses: [] };
}

/** Reads what the layout needs, and what operators have switched off, for pages on which readers act or wait. */
export async function frameWithPauses(ctx: PublicCtx): Promise<Frame> {
	const [frame, switches] = await Promise.all([frameOf(ctx), ctx.switchboard.read(ctx)]);
	return { ...frame, pauses: describePauses(switches) };
}

export const PAGE_READ = {
	method: "get",
	tags: ["Public reading"],
	auth: "none",
	rate: "general",
	shared: { seconds: PAGE_MAX_AGE_SECONDS, of: "tasks" },
	page: "guides/public-reading",
} as const;

export const PAGE_RESPONSE = {
	status: 200,
	description: "The page.",
	schema: z.string(),
	contentType: "text/html",
	headers: { ETag: "Version of the page.", "Cache-Control": "How long you may cache it." },
	others: [UNCHANGED],
} as const satisfies EndpointContract["response"];

export const PAGE_MAY_BE_OLD = `A page for people. May be up to ${PAGE_MAX_AGE_SECONDS} seconds old.`;
