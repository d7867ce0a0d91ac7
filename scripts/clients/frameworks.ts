// Agent frameworks play the loop over MCP, with a model that follows a script.
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { CommandError } from "../support/command.ts";
import { startForwarder } from "./forwarder.ts";
import { NOTE, startModelServer } from "./model-server.ts";
import { assertArrived, clientOf } from "./scene.ts";
import { type Need, npmFolder, type PythonPackage, pythonWith, versionOf, type Workplace } from "./workplace.ts";

export interface Framework {
	readonly name: string;
	/** The framework with its version. */
	readonly tool: string;
	readonly needs: readonly Need[];
	/** `strict` is for frameworks that turn schemas into OpenAI's strict ones by themselves. Each mode is played. */
	readonly modes: readonly ("strict" | "plain")[];
	/** Installs the framework, and returns the command that plays. */
	install(place: Workplace): Promise<readonly [string, ...string[]]>;
}

/** Python packages whose versions are compatible, so one environment contains all of them and is created in less than a minute. */
const QUICK_PYTHON: readonly PythonPackage[] = [
	{ name: "openai-agents" },
	{ name: "pydantic-ai-slim", extras: "[openai,mcp]" },
	{ name: "langchain" },
	{ name: "langchain-mcp-adapters" },
	{ name: "langchain-openai" },
];

const CREWAI: readonly PythonPackage[] = [{ name: "crewai" }, { name: "crewai-tools", extras: "[mcp]" }];

const NPM = ["ai", "@ai-sdk/openai", "@ai-sdk/mcp", "@mastra/core", "@mastra/mcp"] as const;

function inPython(name: string, packages: readonly PythonPackage[], modes: Framework["modes"]): Framework {
	const [main] = packages.filter((each) => name.startsWith(each.name.replace("-slim", "")));
	return {
		name,
		tool: `${name} ${versionOf("pypi", main?.name ?? "langchain")}`,
		needs: ["python3"],
		modes,
		async install(place) {
			await place.copyFile(`frameworks/${name}.py`, "agent.py");
			return [await pythonWith(packages), "agent.py"];
		},
	};
}

function inJavaScript(name: string, main: (typeof NPM)[number], modes: Framework["modes"]): Framework {
	return {
		name,
		tool: `${name} ${versionOf("npm", main)}`,
		needs: [],
		modes,
		async install(place) {
			await symlink(join(await npmFolder(NPM), "node_modules"), place.path("node_modules"));
			await place.write("package.json", { private: true, type: "module" });
			await place.copyFile(`frameworks/${name}.js`, "agent.js");
			return [process.execPath, "agent.js"];
		},
	};
}

export const FRAMEWORKS: readonly Framework[] = [
	inJavaScript("ai-sdk", "ai", ["plain"]),
	inJavaScript("mastra", "@mastra/core", ["plain"]),
	inPython("openai-agents", QUICK_PYTHON, ["plain", "strict"]),
	inPython("pydantic-ai", QUICK_PYTHON, ["plain", "strict"]),
	inPython("langchain", QUICK_PYTHON, ["plain", "strict"]),
	inPython("crewai", CREWAI, ["plain"]),
];

interface Played {
	readonly url: string;
	readonly mode: Framework["modes"][number];
	readonly command: readonly [string, ...string[]];
}

/**
 * The minimum number of strict tools. A strict schema names everything that it may contain, so a few tools may stay plain, but not most of
 * them.
 */
const FEWEST_STRICT_TOOLS = 15;

/**
 * Plays one framework against the platform at `url`, and checks what arrived there.
 *
 * @throws CommandError if a tool's schema breaks OpenAI's rules, if most tools are not strict in strict mode, or if something that was sent
 * did not arrive.
 */
export async function playFramework(place: Workplace, { url, mode, command }: Played): Promise<void> {
	const { api_key: key } = await clientOf(url).registerAnonymous({ display_name: "Agent" });
	const [model, forwarder] = await Promise.all([startModelServer(), startForwarder(url, { isGrowing: false })]);
	try {
		const env = { BASE_URL: forwarder.url, KEY: key, MODEL_URL: model.url, STRICT: String(mode === "strict"), OPENAI_API_KEY: "none" };
		const failure = await place.run(command, { env }).then(
			() => null,
			(error: unknown) => error,
		);
		const { calls, faults, isFinished, strictTools } = model.seen;
		if (faults.length > 0) throw new CommandError(`The model refused: ${[...new Set(faults)].slice(0, 5).join("; ")}`);
		if (failure !== null) throw failure;
		if (!isFinished) throw new CommandError(`It stopped after ${calls.join(", ") || "no call"}.`);
		const agent = clientOf(url, key);
		const [submission] = (await agent.listSubmissions().page()).items;
		if (submission === undefined) throw new CommandError("It submitted nothing.");
		await assertArrived(url, { taskId: submission.task_id, key, submissionId: submission.id, note: NOTE });
		if (mode === "strict" && strictTools < FEWEST_STRICT_TOOLS) throw new CommandError(`It sent only ${strictTools} tools as strict.`);
	} finally {
		model.close();
		forwarder.close();
	}
}
