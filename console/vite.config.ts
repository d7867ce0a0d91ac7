// Builds the console. scripts/site/console.ts runs it; `npm run dev -w console` serves it with reloads in front of a running platform.
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const PLATFORM = process.env["PLATFORM_URL"] ?? "http://127.0.0.1:8787";

/** The path matches a text of React Aria in another language than the console's. */
const OTHER_LANGUAGE = /\/react-(?:aria|stately|aria-components)\/.*\/intl\/.*\/(?!en-US)[a-z]{2}-[A-Z]{2}\.m?js$/;

/** Leaves out the texts that React Aria has in 30 languages: src/main.tsx fixes its locale. */
function oneLanguage(): Plugin {
	return { name: "one-language", enforce: "pre", load: (id) => (OTHER_LANGUAGE.test(id) ? "export default {};" : null) };
}

export default defineConfig({
	root: import.meta.dirname,
	base: "/console/",
	plugins: [oneLanguage(), react()],
	build: {
		outDir: fileURLToPath(new URL("../dist/console", import.meta.url).href),
		emptyOutDir: true,
		// These are the first browsers with light-dark(), which the colours use.
		target: ["chrome123", "firefox120", "safari17.5"],
		// Every asset is a separate file: the content security policy allows images as data, but no other data.
		assetsInlineLimit: 0,
		modulePreload: { polyfill: false },
		reportCompressedSize: false,
		rolldownOptions: {
			// The frame that draws PDFs is a document of its own, because it is sandboxed.
			input: ["index.html", "pdf-frame.html"].map((page) => fileURLToPath(new URL(page, import.meta.url).href)),
			output: {
				// Otherwise each page would be a chain of small chunks, and each of them a request.
				codeSplitting: {
					groups: [
						{
							name: "vendor",
							test: /node_modules\/(?:react|react-dom|scheduler|@tanstack|openapi-fetch|react-aria|react-aria-components|react-stately|@react-aria|@react-stately|@internationalized)\//,
							priority: 3,
						},
						{
							name: "console",
							test: /(?:console\/src\/(?:api|components|layout|platform)|packages\/sdk|src\/domain)\/(?!.*(?:MarkdownRenderer|LeaveQuestion|attachment-types|submission-sections|quotes|pack-zip|wallet-proof|rules\/admin|rules\/ceilings|task\/(?:Spread|TaskRecord)|(?:checks|scores|spend|log-lines)\.ts|charts\/(?:bars|lines|progress)))/,
							priority: 2,
						},
						{
							name: "charts",
							test: /src\/domain\/charts\/(?:bars|lines|progress)|components\/task\/Spread|pages\/bounties\/OwnProgress/,
							priority: 1,
						},
						{
							name: "shared",
							test: /console\/src\/(?:pages\/(?!wizard|received\/(?:SubmissionPage|Desk|use-desk|Criteria|Shortlist|Differences))|rules\/(?!templates|examples|coach|coaching|attempt-changes|compare|github-issue|merge-drafts|admin|ceilings|quotes|pdf-frame))/,
							minShareCount: 2,
						},
					],
				},
			},
		},
	},
	server: {
		port: 5173,
		proxy: Object.fromEntries(
			["/api", "/openapi.json", "/health", "/docs", "/tasks"].map((path) => [path, { target: PLATFORM, xfwd: false }]),
		),
	},
});
