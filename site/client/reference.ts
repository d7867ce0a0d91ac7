// Starts the viewer of the OpenAPI document. This script runs before the viewer's.
import { fitIntoSite, LAYOUT } from "./reference-plugin.ts";
import { repair } from "./reference-repairs.ts";
import { resolveSubtree } from "./reference-resolver.ts";
import type { StartSwaggerUi } from "./swagger-ui.ts";

declare const SwaggerUIBundle: StartSwaggerUi;

declare global {
	interface Window {
		/** Keeps the viewer from taking over links within the page, the one that skips to the content among them. */
		noZensmooth: boolean;
	}
}

/** The viewer's dark colours hang on a class. */
function followColourScheme(): void {
	const dark = matchMedia("(prefers-color-scheme: dark)");
	const apply = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
	dark.addEventListener("change", apply);
	apply();
}

function start(): void {
	SwaggerUIBundle({
		url: "/openapi.json",
		dom_id: "#reference",
		layout: LAYOUT,
		plugins: [fitIntoSite, () => ({ fn: { resolveSubtree } })],
		deepLinking: true,
		docExpansion: "list",
		filter: true,
		defaultModelsExpandDepth: 0,
		defaultModelExpandDepth: 2,
		displayRequestDuration: true,
		persistAuthorization: false,
		// Its colours are written into each element; the page's are in its styles.
		syntaxHighlight: false,
		validatorUrl: null,
	});
	const place = document.getElementById("reference");
	if (place !== null) repair(place);
}

window.noZensmooth = true;
followColourScheme();
document.addEventListener("DOMContentLoaded", start);
