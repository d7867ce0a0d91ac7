// The sitemap of sitemaps.org. It lists few enough pages for one file, which may have 50,000.
import { escapeMarkup } from "../../competition/public-reading/rules.ts";

interface Listed {
	/** Paths of pages that change with deployments or all the time. */
	readonly paths: readonly string[];
	readonly tasks: readonly { readonly id: string; readonly created_at: string }[];
}

/** @param baseUrl Origin of every URL, without a trailing slash. */
export function buildSitemap(baseUrl: string, { paths, tasks }: Listed): string {
	const locations = [
		...paths.map((path) => `<url><loc>${escapeMarkup(baseUrl + path)}</loc></url>`),
		...tasks.map(({ id, created_at }) => `<url><loc>${escapeMarkup(`${baseUrl}/tasks/${id}`)}</loc><lastmod>${created_at}</lastmod></url>`),
	];
	return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${locations.join("\n")}
</urlset>
`;
}
