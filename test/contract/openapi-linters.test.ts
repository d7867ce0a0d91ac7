// Two linters of other projects read the OpenAPI document. They take longer than all other tests of it.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { runCommandLine, runScript } from "../support/commands.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url).href);

it("the OpenAPI document passes the linter", async () => {
	const { code, stdout, stderr } = await runCommandLine(
		[join(ROOT, "node_modules", ".bin", "redocly"), "lint", "docs/openapi.json", "--config", "scripts/check/redocly.yaml"],
		{
			env: { REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
		},
	);
	expect({ code, stdout, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("Your API description is valid") });
});

it("the OpenAPI document passes the other linter", async () => {
	const { code, stdout, stderr } = await runScript("lint-openapi.ts");
	expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "Spectral has 0 findings in docs/openapi.json.\n", stderr: "" });
});
