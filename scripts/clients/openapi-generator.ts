// The clients of openapi-generator.
import { type Client, OPERATIONS, storeDocument } from "./client.ts";
import { typescriptClient } from "./generators-typescript.ts";
import { classPath, mavenJar, pythonWith, versionOf, type Workplace } from "./workplace.ts";

const TOOL = `openapi-generator ${versionOf("maven", "org.openapitools:openapi-generator-cli")}`;
const MVN = ["mvn", "-q", "-B"] as const;

/** Without this, generated classes reject a field that the document does not name, unless the document allows additional ones. */
const OPEN = ["--additional-properties", "disallowAdditionalPropertiesIfNotPresent=false"];

async function generate(place: Workplace, url: string, options: readonly string[]): Promise<void> {
	await storeDocument(place, url + OPERATIONS);
	const jar = await mavenJar("org.openapitools:openapi-generator-cli");
	await place.run(["java", "-jar", jar, "generate", "-i", "document.json", "-o", "client", ...options]);
}

/** Describes a Java client that uses one of the generator's libraries and is built with the generated pom.xml. */
function javaClient(library: string, name: string, more: readonly string[] = []): Client {
	return {
		name,
		tool: TOOL,
		options: `\`${["-g java", "--library", library, ...more].join(" ")}\``,
		needs: ["java", "mvn"],
		generate: (place, url) => generate(place, url, ["-g", "java", "--library", library, ...more]),
		async compile(place) {
			await place.copyFile(`${name}/Loop.java`, "client/src/main/java/Loop.java");
			await place.run([...MVN, "compile", "dependency:build-classpath", "-Dmdep.outputFile=classpath.txt"], { cwd: "client" });
		},
		command: async (place) => ["java", "-cp", classPath("client/target/classes", await place.read("client/classpath.txt")), "Loop"],
	};
}

const kotlin: Client = {
	name: "openapi-generator-kotlin",
	tool: TOOL,
	options: "`-g kotlin`",
	needs: ["java", "mvn"],
	generate: (place, url) => generate(place, url, ["-g", "kotlin"]),
	async compile(place) {
		await place.copyFile("openapi-generator-kotlin/Loop.kt", "program/Loop.kt");
		await place.copyFile("openapi-generator-kotlin/pom.xml", "pom.xml");
		await place.run([...MVN, "compile", "dependency:build-classpath", "-Dmdep.outputFile=classpath.txt"]);
	},
	command: async (place) => ["java", "-cp", classPath("target/classes", await place.read("classpath.txt")), "LoopKt"],
};

const go: Client = {
	name: "openapi-generator-go",
	tool: TOOL,
	options: `\`-g go ${OPEN.join(" ")}\``,
	needs: ["java", "mvn", "go"],
	generate: (place, url) => generate(place, url, ["-g", "go", ...OPEN]),
	async compile(place) {
		await place.copyProgram("loop");
		const module = "github.com/GIT_USER_ID/GIT_REPO_ID";
		await place.write("loop/go.mod", `module loop\n\ngo 1.23\n\nrequire ${module} v0.0.0\n\nreplace ${module} => ../client\n`);
		await place.run(["go", "build", "./..."], { cwd: "client" });
		await place.run(["go", "build", "-o", "loop", "."], { cwd: "loop" });
	},
	command: async (place) => [place.path("loop", "loop")],
};

const rust: Client = {
	name: "openapi-generator-rust",
	tool: TOOL,
	options: "`-g rust`",
	needs: ["java", "mvn", "cargo"],
	generate: (place, url) => generate(place, url, ["-g", "rust"]),
	async compile(place) {
		await place.copyProgram("loop");
		await place.run(["cargo", "build", "--quiet"], { cwd: "loop" });
	},
	command: async (place) => ["cargo", "run", "--quiet", "--manifest-path", place.path("loop", "Cargo.toml")],
};

/** The dependencies that the generated pyproject.toml names. */
const PYTHON_NEEDS = ["urllib3>=2.7,<3", "python-dateutil>=2.8.2", "pydantic>=2.11", "typing-extensions>=4.7.1"];

const python: Client = {
	name: "openapi-generator-python",
	tool: TOOL,
	options: "`-g python`",
	needs: ["java", "mvn", "python3"],
	generate: (place, url) => generate(place, url, ["-g", "python"]),
	async compile(place) {
		await place.copyProgram(".");
		await place.run([await pythonWith([], PYTHON_NEEDS), "-m", "compileall", "-q", "client/openapi_client"]);
	},
	command: async (place) => ["env", `PYTHONPATH=${place.path("client")}`, await pythonWith([], PYTHON_NEEDS), "loop.py"],
};

const axios = typescriptClient({
	name: "openapi-generator-axios",
	tool: TOOL,
	options: "`-g typescript-axios`",
	needs: ["java", "mvn"],
	packages: ["axios"],
	generate: (place, url) => generate(place, url, ["-g", "typescript-axios"]),
});

export const OPENAPI_GENERATOR: readonly Client[] = [
	go,
	javaClient("native", "openapi-generator-java-native"),
	javaClient("okhttp-gson", "openapi-generator-java-okhttp", OPEN),
	python,
	axios,
	rust,
	kotlin,
];
