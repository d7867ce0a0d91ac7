// The page for addresses where there is nothing.
import { html } from "hono/html";
import type { Assets } from "./assets.ts";
import { renderDocument, SITE_NAME } from "./layout.ts";

export function renderNotFound(assets: Assets): Promise<string> {
	return renderDocument(
		{
			title: `Nothing here · ${SITE_NAME}`,
			description: "There is no page at this address.",
			area: "none",
			body: html`<main class="narrow" id="site-main" tabindex="-1">
<p class="eyebrow">404</p>
<h1>There is no page at this address</h1>
<p class="lede">It may have moved, or the address may be mistyped.</p>
<ul class="ways">
<li><a href="/docs">All pages of the documentation</a></li>
<li><a href="/reference">Every endpoint of the API</a></li>
<li><a href="/">The start page</a></li>
</ul>
</main>`,
		},
		assets,
	);
}
