// Builds the console. scripts/site/console.ts runs it; `npm run dev -w console` serves it with reloads in front of a running platform.
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const PLATFORM = process.env["PLATFORM_URL"] ?? "http://127.0.0.1:8787";

export default defineConfig({
	root: import.meta.dirname,
	base: "/console/",
	plugins: [react()],
	build: {
		outDir: fileURLToPath(new URL("../dist/console", import.meta.url).href),
		emptyOutDir: true,
		// The first browsers with light-dark(), which the colours use.
		target: ["chrome123", "firefox120", "safari17.5"],
		// Everything in a file of its own: the content security policy allows images as data, but no other data.
		assetsInlineLimit: 0,
		modulePreload: { polyfill: false },
		reportCompressedSize: false,
	},
	server: {
		port: 5173,
		proxy: Object.fromEntries(
			["/api", "/openapi.json", "/health", "/docs", "/tasks"].map((path) => [path, { target: PLATFORM, xfwd: false }]),
		),
	},
});
