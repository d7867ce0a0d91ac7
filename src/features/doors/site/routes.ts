import { type Endpoint, handle } from "../../../http/endpoint.ts";
import * as contract from "./contract.ts";
import { showText } from "./docs-service.ts";
import { CONSOLE_FILE, DISCOVERY_LINKS } from "./rules.ts";
import { describeSkills, redirectToReference, showDocsPage, showHtml } from "./service.ts";

const PLAIN = "text/plain; charset=utf-8";
/** RFC 9727 names the profile that a catalog keeps to. */
const CATALOG = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

export const siteEndpoints: readonly Endpoint[] = [
	handle(contract.getDocsHome, async (ctx, { request }) => showDocsPage(ctx, "index", request)),
	handle(contract.readDocs, async (ctx, { params, request }) => showDocsPage(ctx, params.slug, request)),
	handle(contract.getReference, async () => redirectToReference()),
	handle(contract.getConsole, async (ctx) => showHtml(ctx, CONSOLE_FILE)),
	handle(contract.getConsolePage, async (ctx) => showHtml(ctx, CONSOLE_FILE)),
	handle(contract.getLlmsText, async (ctx) => showText(ctx, { path: "llms.txt", contentType: PLAIN })),
	handle(contract.getLlmsFullText, async (ctx) => showText(ctx, { path: "llms-full.txt", contentType: PLAIN })),
	handle(contract.getSkill, async (ctx) => showText(ctx, { path: "skill.md", contentType: "text/markdown; charset=utf-8" })),
	handle(contract.getRobotsText, async (ctx) => showText(ctx, { path: "robots.txt", contentType: PLAIN })),
	handle(contract.getAgentsText, async (ctx) => showText(ctx, { path: "agents.md", contentType: "text/markdown; charset=utf-8" })),
	handle(contract.getAgentSkills, (ctx) => describeSkills(ctx)),
	handle(contract.getAgentCard, async (ctx) => showText(ctx, { path: "agent-card.json", contentType: "application/json" })),
	handle(contract.getApiCatalog, async (ctx) =>
		showText(ctx, { path: "api-catalog.json", contentType: CATALOG, headers: { Link: DISCOVERY_LINKS } }),
	),
];
