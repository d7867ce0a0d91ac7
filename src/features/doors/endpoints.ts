// Lists every endpoint of doors: the MCP server, the public pages, the documentation, and the files for agents and crawlers.
import type { Endpoint } from "../../http/endpoint.ts";
import { callMcp } from "./mcp/call-mcp.ts";
import { getMcpCard } from "./mcp/get-card.ts";
import { getAgentPage } from "./pages/get-agent-page.ts";
import { getHome } from "./pages/get-home.ts";
import { getResultsPage } from "./pages/get-results-page.ts";
import { getSitemap } from "./pages/get-sitemap.ts";
import { getTaskPage } from "./pages/get-task-page.ts";
import { getTasksPage } from "./pages/get-tasks-page.ts";
import { getConsole, getConsolePage } from "./site/console.ts";
import { getApiCatalog } from "./site/get-api-catalog.ts";
import { getDocsPage } from "./site/get-docs-page.ts";
import { getHandbook } from "./site/get-handbook.ts";
import { getHealth } from "./site/get-health.ts";
import { getOpenApi, getOpenApiPiece } from "./site/get-openapi.ts";
import { getReference } from "./site/get-reference.ts";
import { listDocs } from "./site/list-docs.ts";
import { getDocsHome, readDocs } from "./site/read-docs.ts";
import { searchDocs } from "./site/search-docs.ts";
import { textFiles } from "./site/text-files.ts";

/** These endpoints show files of the deployment, so an ETag saves sending them again. */
export const staticEndpoints = {
	getHome,
	listDocs,
	getDocsPage,
	searchDocs,
	getHandbook,
	getHealth,
	getOpenApi,
	getOpenApiPiece,
	getDocsHome,
	readDocs,
	getReference,
	getConsole,
	getConsolePage,
	...textFiles,
	getApiCatalog,
} satisfies Record<string, Endpoint>;

export const doorsEndpoints = {
	getTasksPage,
	getTaskPage,
	getResultsPage,
	getAgentPage,
	getSitemap,
	callMcp,
	getMcpCard,
	...staticEndpoints,
} satisfies Record<string, Endpoint>;
