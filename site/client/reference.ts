// Starts the viewer of the OpenAPI document.
import { accessibility } from "./reference-plugin.ts";
import type { SwaggerUi } from "./swagger-ui.ts";

declare const SwaggerUIBundle: SwaggerUi;

/** The viewer's dark colours hang on a class. */
function followColourScheme(): void {
	const dark = matchMedia("(prefers-color-scheme: dark)");
	const apply = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
	dark.addEventListener("change", apply);
	apply();
}

followColourScheme();
SwaggerUIBundle({
	url: "/openapi.json",
	dom_id: "#reference",
	deepLinking: true,
	docExpansion: "list",
	filter: true,
	defaultModelsExpandDepth: 0,
	displayRequestDuration: true,
	persistAuthorization: false,
	tryItOutEnabled: false,
	// No badge from an outside validator.
	validatorUrl: null,
	plugins: [accessibility],
});
