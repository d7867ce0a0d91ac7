// The clients of the two generators for Go, and of openapi-python-client.
import { type Client, OPERATIONS, storeDocument } from "./client.ts";
import { goCommand, pythonWith, versionOf, type Workplace } from "./workplace.ts";

/** Builds a Go client, which is a package of its program's module. */
async function buildGo(place: Workplace, requirements: readonly string[]): Promise<void> {
	await place.copyProgram(".");
	await place.write("go.mod", `module example.com/loop\n\ngo 1.25.0\n\nrequire (\n\t${requirements.join("\n\t")}\n)\n`);
	await place.run(["go", "mod", "tidy"]);
	await place.run(["go", "build", "-o", "loop", "."]);
}

const oapiCodegen: Client = {
	name: "oapi-codegen",
	tool: `oapi-codegen ${versionOf("go", "github.com/oapi-codegen/oapi-codegen/v2").slice(1)}`,
	options: "`-generate types,client`",
	needs: ["go"],
	async generate(place, url) {
		await storeDocument(place, url + OPERATIONS);
		const command = await goCommand("github.com/oapi-codegen/oapi-codegen/v2", "cmd/oapi-codegen");
		const code = await place.run([command, "-generate", "types,client", "-package", "client", "document.json"]);
		await place.write("client/client.go", code);
	},
	compile: (place) => buildGo(place, [`github.com/oapi-codegen/runtime ${versionOf("go", "github.com/oapi-codegen/runtime")}`]),
	command: async (place) => [place.path("loop")],
};

const ogen: Client = {
	name: "ogen",
	tool: `ogen ${versionOf("go", "github.com/ogen-go/ogen").slice(1)}`,
	options: '`ignore_not_implemented: ["all"]`; leaves out `addAttachment` and `reviewSubmission`',
	needs: ["go"],
	async generate(place, url) {
		await storeDocument(place, url + OPERATIONS);
		await place.write("ogen.yaml", 'generator:\n  ignore_not_implemented: ["all"]\n');
		const command = await goCommand("github.com/ogen-go/ogen", "cmd/ogen");
		await place.run([command, "--config", "ogen.yaml", "--target", "client", "--package", "client", "document.json"]);
	},
	compile: (place) => buildGo(place, [`github.com/ogen-go/ogen ${versionOf("go", "github.com/ogen-go/ogen")}`]),
	command: async (place) => [place.path("loop")],
};

/** The generator does not know the types of downloads, and forgets an import. */
const PYTHON_CLIENT_CONFIGURATION = `content_type_overrides:
  "*/*": application/octet-stream
  application/zip: application/octet-stream
post_hooks:
  - "find . -name '*.py' | xargs sed -i 's/^from ...types import .*UNSET$/&, Unset/'"
`;

const openapiPythonClient: Client = {
	name: "openapi-python-client",
	tool: `openapi-python-client ${versionOf("pypi", "openapi-python-client")}`,
	options: "the configuration below",
	needs: ["python3"],
	async generate(place, url) {
		await storeDocument(place, url + OPERATIONS);
		await place.write("configuration.yaml", PYTHON_CLIENT_CONFIGURATION);
		const python = await pythonWith([{ name: "openapi-python-client" }]);
		const options = ["--path", "document.json", "--config", "configuration.yaml", "--output-path", "client"];
		await place.run([python, "-m", "openapi_python_client", "generate", ...options]);
	},
	async compile(place) {
		await place.copyProgram(".");
		await place.write("import_all.py", IMPORT_ALL);
		await place.run(["env", "PYTHONPATH=client", await pythonWith([{ name: "openapi-python-client" }]), "import_all.py"]);
	},
	command: async () => ["env", "PYTHONPATH=client", await pythonWith([{ name: "openapi-python-client" }]), "loop.py"],
};

/** A Python program that imports every module, because only an import shows that a module is missing. */
const IMPORT_ALL = `import importlib, pkgutil
import bounty_platform_api_client as package
for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    importlib.import_module(module.name)
`;

export const OTHERS: readonly Client[] = [oapiCodegen, ogen, openapiPythonClient];
