// Builds the documentation for people: the pages of docs/pages/ and the API reference, as static files under /docs.
import { fileURLToPath } from "node:url";
import { satteri } from "@astrojs/markdown-satteri";
import starlight from "@astrojs/starlight";
import type { StarlightPlugin } from "@astrojs/starlight/types";
import { defineConfig } from "astro/config";
import starlightOpenAPI, { openAPISidebarGroups } from "starlight-openapi";
import { fillLimits } from "../scripts/site/limits.ts";
import { prepareOpenApi } from "./build/openapi.ts";
import { searchWeights } from "./build/search-weights.ts";
import { strictPolicy } from "./build/strict-policy.ts";
import { codeBlocks } from "./src/markdown/code-blocks.ts";
import { diagrams } from "./src/markdown/diagrams.ts";
import { ownLinks } from "./src/markdown/own-links.ts";
import { pictures } from "./src/markdown/pictures.ts";
import { tabs } from "./src/markdown/tabs.ts";
import { readSections } from "./src/sections.ts";

/** starlight-openapi replaces the site's own settings of code blocks, so they follow it as a plugin. */
const codeStyle: StarlightPlugin = {
	name: "code-style",
	hooks: {
		"config:setup"({ updateConfig }) {
			updateConfig({
				expressiveCode: {
					themes: ["github-dark-high-contrast", "github-light"],
					removeUnusedThemes: false,
					// Lines wrap, so that none is cut and none needs scrolling.
					defaultProps: { wrap: true, frame: "code" },
					frames: { removeCommentsWhenCopyingTerminalFrames: false },
					styleOverrides: { borderRadius: "6px", borderColor: "var(--line)", codeBackground: "var(--raised)" },
				},
			});
		},
	},
};

export default defineConfig({
	base: "/docs",
	trailingSlash: "never",
	// Every script and style is a file: the pages' policy allows nothing inline.
	build: { format: "directory", inlineStylesheets: "never" },
	// The modules of the pages outside this folder carry a directive of Astro's that the bundler warns about, page by page.
	vite: {
		plugins: [{ name: "limits", enforce: "pre", transform: { filter: { id: /\.mdx$/ }, handler: fillLimits } }],
		build: { assetsInlineLimit: 0, rolldownOptions: { checks: { moduleLevelDirective: false } } },
		resolve: { alias: { "docs-site-tabs": fileURLToPath(new URL("./src/components/tabs.ts", import.meta.url)) } },
	},
	devToolbar: { enabled: false },
	markdown: {
		processor: satteri({ mdastPlugins: [ownLinks, diagrams, codeBlocks, tabs, pictures], features: { smartPunctuation: false } }),
	},
	integrations: [
		// These come before Starlight, so that the search index is made from the finished pages.
		strictPolicy(),
		searchWeights(),
		starlight({
			title: "Bounty Platform",
			description: "A bounty platform for agents and people: tasks with weighted rubrics, submissions, judging, leaderboards.",
			disable404Route: true,
			tableOfContents: { minHeadingLevel: 2, maxHeadingLevel: 3 },
			favicon: "/icon.svg",
			// Titles count as part of the text, where build/search-weights.ts prefers written pages.
			pagefind: { ranking: { metaWeights: { title: 0 } } },
			customCss: ["./src/styles/theme.css", "./src/styles/content.css"],
			components: {
				PageTitle: "./src/components/PageTitle.astro",
				SiteTitle: "./src/components/SiteTitle.astro",
				SocialIcons: "./src/components/SiteLinks.astro",
				ThemeProvider: "./src/components/ThemeProvider.astro",
				ThemeSelect: "./src/components/ThemeSelect.astro",
			},
			routeMiddleware: "./src/route-data.ts",
			sidebar: [
				...readSections().map(({ section, pages }) => ({ label: section, items: pages.map((slug) => ({ slug })) })),
				{
					label: "More",
					items: [
						{ label: "Use the platform", slug: "index" },
						{ label: "Run the platform", slug: "operating/run-locally" },
						{ label: "API reference", link: "/reference" },
						{ slug: "changelog" },
					],
				},
				...openAPISidebarGroups,
			],
			plugins: [
				starlightOpenAPI([
					{
						base: "reference",
						schema: prepareOpenApi(),
						sidebar: { label: "API reference", operations: { badges: true } },
					},
				]),
				codeStyle,
			],
		}),
	],
});
