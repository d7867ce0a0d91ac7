// The site for people: every page and every file that a page loads.
import type { Library } from "../scripts/site/pages.ts";
import type { SiteFiles } from "../scripts/site/site-files.ts";
import { buildAssets } from "./assets.ts";
import { pathOf, renderDocsPage } from "./docs-page.ts";
import { renderReference } from "./reference.ts";

/**
 * Builds the HTML of the site. `/docs/a/b` is the file docs/a/b.html; `{base_url}` in it stands for the origin that the
 * reader uses, which is known only when the page is served.
 *
 * @throws CommandError that names the file and the line when a page is not plain Markdown.
 */
export async function buildHtml(library: Library): Promise<SiteFiles> {
	const { assets, files } = await buildAssets();
	files.set("reference.html", await renderReference(assets));
	for (const page of library.pages) files.set(`${pathOf(page).slice(1)}.html`, await renderDocsPage(page, library, assets));
	return files;
}
