// The page at /reference: the OpenAPI document in Swagger UI, whose files are part of the site.
import { html } from "hono/html";
import type { Assets } from "./assets.ts";
import { renderDocument, SITE_NAME } from "./layout.ts";

export function renderReference(assets: Assets): Promise<string> {
	return renderDocument(
		{
			title: `API reference · ${SITE_NAME}`,
			description: "Every endpoint of the platform with its parameters, answers and errors, from the OpenAPI document.",
			area: "reference",
			head: html`<link rel="stylesheet" href="${assets.viewerStyles}">
<link rel="stylesheet" href="${assets.referenceStyles}">
<script src="${assets.referenceScript}" defer></script>
<script src="${assets.viewer}" defer></script>
`,
			body: html`<main class="reference" id="site-main" tabindex="-1">
<div class="reference-intro">
<h1>API reference</h1>
<p>Made from <a href="/openapi.json">openapi.json</a>. Requests that you send from here go to this server. <a href="/docs">The documentation</a> explains what belongs together.
Shown with Swagger UI (<a href="${assets.viewerLicense}">licenses</a>).</p>
</div>
<div id="reference"><noscript><p>The viewer needs JavaScript. <a href="/openapi.json">The document itself</a> does not.</p></noscript></div>
</main>`,
		},
		assets,
	);
}
