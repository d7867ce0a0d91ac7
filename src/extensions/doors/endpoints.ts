// Lists every endpoint of doors: the MCP server, the public pages, the documentation, and the files for agents and crawlers.

import { getDocsPage } from "../../core/docs/get-docs-page.ts";
import { getHandbook } from "../../core/docs/get-handbook.ts";
import { getOpenApi, getOpenApiPiece } from "../../core/docs/get-openapi.ts";
import { getReference } from "../../core/docs/get-reference.ts";
import { listDocs } from "../../core/docs/list-docs.ts";
import { getDocsHome, readDocs } from "../../core/docs/read-docs.ts";
import { searchDocs } from "../../core/docs/search-docs.ts";
import { getHealth } from "../../core/health/get-health.ts";
import type { Endpoint } from "../../http/endpoint.ts";
import { callMcp } from "../mcp/call-mcp.ts";
import { getMcpCard } from "../mcp/get-card.ts";
import { getConsole, getConsolePage } from "../pages/console.ts";
import { getAgentPage } from "../pages/get-agent-page.ts";
import { getHome } from "../pages/get-home.ts";
import { getResultsPage } from "../pages/get-results-page.ts";
import { getSitemap } from "../pages/get-sitemap.ts";
import { getTaskPage } from "../pages/get-task-page.ts";
import { getTasksPage } from "../pages/get-tasks-page.ts";
import { getApiCatalog } from "./get-api-catalog.ts";
import { textFiles } from "./text-files.ts";

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
