// The TypeScript clients. tsc checks the generated code together with the program, in strict mode, and Node runs tsc's output.
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { type Client, OPERATIONS, storeDocument, WHOLE } from "./client.ts";
import { type Need, npmFolder, versionOf, type Workplace } from "./workplace.ts";

type NpmName = Parameters<typeof npmFolder>[0][number];

interface TypescriptClient extends Pick<Client, "name" | "tool" | "options" | "generate"> {
	readonly needs?: readonly Need[];
	/** The packages that the client imports. The generator is one of them if it comes from npm. */
	readonly packages: readonly NpmName[];
}

const TSCONFIG = {
	compilerOptions: {
		target: "ES2022",
		module: "ESNext",
		moduleResolution: "Bundler",
		lib: ["ES2022", "DOM", "DOM.Iterable"],
		types: ["node"],
		strict: true,
		rewriteRelativeImportExtensions: true,
		skipLibCheck: true,
		outDir: "compiled",
	},
	include: ["loop.ts"],
};

const COMMON: readonly NpmName[] = ["typescript", "@types/node", "esbuild"];

/** Describes a client that is generated below `client/`. Its program is a file in `programs/typescript`. */
export function typescriptClient({ name, tool, options, needs = [], packages, generate }: TypescriptClient): Client {
	const installed = () => npmFolder([...COMMON, ...packages]);
	return {
		name,
		tool,
		options,
		needs,
		async generate(place, url) {
			await symlink(join(await installed(), "node_modules"), place.path("node_modules"));
			await place.write("package.json", { private: true, type: "module" });
			await generate(place, url);
		},
		async compile(place) {
			await place.copyFile("typescript/given.ts", "given.ts");
			await place.copyFile(`typescript/${name}.ts`, "loop.ts");
			await place.write("tsconfig.json", TSCONFIG);
			await place.run(["node_modules/.bin/tsc", "--noEmit", "-p", "."]);
			const bundled = ["--bundle", "--platform=node", "--format=esm", "--packages=external", "--outfile=compiled/loop.js"];
			await place.run(["node_modules/.bin/esbuild", "loop.ts", ...bundled]);
		},
		command: async () => [process.execPath, "compiled/loop.js"],
	};
}

const openapiTypescript = typescriptClient({
	name: "openapi-typescript",
	tool: `openapi-typescript ${versionOf("npm", "openapi-typescript")}`,
	options: "`--default-non-nullable=false`, from `openapi.json`",
	packages: ["openapi-typescript", "openapi-fetch"],
	generate: (place, url) => run(place, ["openapi-typescript", url + WHOLE, "--default-non-nullable=false", "-o", "client/api.ts"]),
});

const heyApi = typescriptClient({
	name: "hey-api",
	tool: `hey-api ${versionOf("npm", "@hey-api/openapi-ts")}`,
	options: "none, from `openapi.json`",
	packages: ["@hey-api/openapi-ts"],
	async generate(place, url) {
		await storeDocument(place, url + WHOLE);
		await run(place, ["openapi-ts", "-i", "document.json", "-o", "client"]);
	},
});

const orval = typescriptClient({
	name: "orval",
	tool: `orval ${versionOf("npm", "orval")}`,
	options: "`--client axios-functions`",
	packages: ["orval", "axios"],
	async generate(place, url) {
		await storeDocument(place, url + OPERATIONS);
		await run(place, ["orval", "--input", "document.json", "--output", "client/api.ts", "--client", "axios-functions"]);
	},
});

async function run(place: Workplace, [command, ...rest]: readonly [string, ...string[]]): Promise<void> {
	await place.run([`node_modules/.bin/${command}`, ...rest]);
}

export const TYPESCRIPT: readonly Client[] = [openapiTypescript, heyApi, orval];
