import * as z from "zod";
import { OPEN_READ, showHtml, UNCHANGED } from "../../core/docs/built-text.ts";
import { MAX_NAME_CHARACTERS } from "../../core/docs/docs-page.ts";
import { CONSOLE_HEADERS, pdfFrameHeaders } from "../../core/docs/rules.ts";
import { endpoint } from "../../http/endpoint.ts";

/** The console is one built page, which loads the rest. */
const CONSOLE_FILE = "console/index.html";
const PDF_FRAME = { path: "pdf-frame", file: "console/pdf-frame.html" } as const;

export const getConsole = endpoint({
	...OPEN_READ,
	path: "/console",
	operationId: "getConsole",
	owner: "pages",
	summary: "Use the platform in a browser",
	description: "A page for people.",
	response: { status: 200, description: "The page.", schema: z.string(), contentType: "text/html", others: [UNCHANGED] },
	errors: [],

	handle: (ctx) => showHtml(ctx, CONSOLE_FILE, CONSOLE_HEADERS),
});

export const getConsolePage = endpoint({
	...OPEN_READ,
	path: "/console/{path}",
	operationId: "getConsolePage",
	owner: "pages",
	summary: "Open a page of the console",
	description:
		"Every path of the console returns the same application, which then shows the page for that path. It shows PDFs in the frame `pdf-frame`.",
	params: z.object({ path: z.string().max(MAX_NAME_CHARACTERS).meta({ description: "The path of the page in the console." }) }),
	greedyParam: "path",
	response: { status: 200, description: "The application.", schema: z.string(), contentType: "text/html", others: [UNCHANGED] },
	errors: [],
	examples: { params: { path: "tasks/new" } },

	handle: (ctx, { params: { path } }) =>
		path === PDF_FRAME.path ? showHtml(ctx, PDF_FRAME.file, pdfFrameHeaders(ctx.baseUrl)) : showHtml(ctx, CONSOLE_FILE, CONSOLE_HEADERS),
});
