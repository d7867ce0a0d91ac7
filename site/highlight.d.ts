// highlight.js's own types bring the DOM along, which contradicts the Worker's types. tsconfig.json puts these in their place.
declare module "highlight.js" {
	/** Makes the grammar of a language; the highlighter alone calls it. */
	export type LanguageFn = (highlighter: never) => object;
}

declare module "highlight.js/lib/languages/*" {
	const language: import("highlight.js").LanguageFn;
	// biome-ignore lint/style/noDefaultExport: that is what the package has.
	export default language;
}
