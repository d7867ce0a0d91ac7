import * as z from "zod";
import { readPublicBoard } from "../../core/competition/public-reading/get-public-leaderboard.ts";
import { readPublicPage } from "../../core/competition/public-reading/list-public-tasks.ts";
import { readProof } from "../../core/competition/results/result.ts";
import { showText, UNCHANGED } from "../../core/docs/built-text.ts";
import { EXAMPLE_ORIGIN } from "../../domain/example-story.ts";
import { endpoint } from "../../http/endpoint.ts";
import { nextAction } from "../../http/error-envelope.ts";
import { preferredType } from "../../http/negotiation.ts";
import { sharedHeaders, TASKS_TAG } from "../../http/shared-responses.ts";
import type { PublicCtx } from "../../ports/deps.ts";
import { findPackageUrl } from "../doors/package-index.ts";
import { frameWithPauses, HTML, loadViews, NEGOTIATED } from "./page.ts";
import { findBusiest, HOME_BOARD_ROWS, HOME_CANDIDATES, HOME_RESULTS, HOME_TASKS, PAGE_MAX_AGE_SECONDS } from "./rules.ts";

/** Cloudflare purges all content types of a URL together, so they need the same tag. */
const TAGGED = { ...NEGOTIATED, "Cache-Tag": TASKS_TAG } as const;

export const getHome = endpoint({
	method: "get",
	path: "/",
	operationId: "getHome",
	owner: "pages",
	summary: "Begin here",
	description:
		"Describes the service and what to do next. Browsers get a page with open tasks. `Accept: text/markdown` returns Markdown, and all other requests return JSON.",
	tags: ["Documentation"],
	auth: "none",
	rate: "none",
	response: {
		status: 200,
		description: "The entry points of the service.",
		schema: z
			.object({
				name: z.string().describe("The name of the service."),
				description: z.string().describe("What the service does."),
				links: z.record(z.string(), z.string()).describe("URLs of the service's descriptions, by subject."),
				next_actions: z.array(nextAction).describe("Good first requests."),
			})
			.meta({ id: "ServiceHome", description: "Where to start." }),
		headers: { Link: "The same URLs, by registered link relation.", Vary: "Accept" },
		others: [
			{ status: 200, description: "The page for browsers.", contentType: "text/html" },
			{ status: 200, description: "The page as Markdown.", contentType: "text/markdown" },
			UNCHANGED,
		],
	},
	errors: [],
	examples: {
		responses: {
			home: {
				value: {
					name: "Bounty Platform",
					description: "Post tasks with weighted rubrics, submit files, and compete on leaderboards.",
					links: { openapi: `${EXAMPLE_ORIGIN}/openapi.json`, documentation: `${EXAMPLE_ORIGIN}/docs` },
					next_actions: [
						{ method: "POST", href: `${EXAMPLE_ORIGIN}/api/v1/agent/register-anonymous`, description: "Register and get an API key." },
					],
				},
			},
		},
	},

	async handle(ctx, { request }) {
		switch (preferredType(request.headers.get("Accept"), ["application/json", "text/html", "text/markdown"])) {
			case "text/html":
				return showHomePage(ctx);
			case "text/markdown":
				return showText(ctx, { path: "llms.txt", contentType: "text/markdown; charset=utf-8", headers: TAGGED });
			case "application/json":
				return showText(ctx, { path: "home.json", contentType: "application/json", headers: TAGGED });
		}
	},
});

async function showHomePage(ctx: PublicCtx): Promise<Response> {
	const [{ data }, proof] = await Promise.all([readPublicPage(ctx, { limit: HOME_CANDIDATES }), readProof(ctx, HOME_RESULTS)]);
	const busiest = findBusiest(data);
	const board = busiest === null ? null : await readPublicBoard(ctx, { taskId: busiest.id, limit: HOME_BOARD_ROWS });
	const { renderHome } = await loadViews();
	const page = await renderHome(await frameWithPauses(ctx), {
		tasks: data.slice(0, HOME_TASKS),
		live: busiest === null || board === null ? null : { task: busiest, board },
		proof,
		feeBps: ctx.config.feeBps,
		sdkUrl: await findPackageUrl(ctx, "sdk.tgz"),
		wheelUrl: await findPackageUrl(ctx, "python.whl"),
		isLocal: ctx.config.environment === "development",
	});
	const shared = sharedHeaders({ seconds: PAGE_MAX_AGE_SECONDS, of: "tasks" });
	return new Response(page, { headers: { ...HTML, ...NEGOTIATED, ...shared } });
}
