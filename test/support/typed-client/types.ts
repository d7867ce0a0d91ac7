// Types of the API for a TypeScript client, generated from docs/openapi.json as a client's author would.
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";

/** The generator needs the compiler's JavaScript API, which TypeScript 7 no longer has; this package carries one. */
const COMPILER_API = import.meta.resolve("@ts-morph/common");
const SHIM = "compiler-api:typescript";

registerHooks({
	resolve(specifier, context, next) {
		const isGenerators = specifier === "typescript" && context.parentURL?.includes("/node_modules/openapi-typescript/") === true;
		return isGenerators ? { url: SHIM, format: "module", shortCircuit: true } : next(specifier, context);
	},
	load(url, context, next) {
		if (url !== SHIM) return next(url, context);
		return {
			format: "module",
			source: `import common from ${JSON.stringify(COMPILER_API)}; export default common.ts;`,
			shortCircuit: true,
		};
	},
});

/** TypeScript source of the types in a document. */
export async function generateTypes(documentPath: string): Promise<string> {
	const { astToString, default: generate } = await import("openapi-typescript");
	return astToString(await generate(pathToFileURL(documentPath), { defaultNonNullable: false }));
}
