// The release has one version, which each package repeats in the file that its registry reads.
import { expect, it } from "vitest";
import { readRelease } from "../../scripts/migration/release.ts";
import { readProjectFile } from "../../scripts/support/sources.ts";
import { VERSION } from "../../src/domain/version.ts";

it.each([
	["package.json", /^ {2}"version": "(.*)"/m],
	["package-lock.json", /^ {2}"version": "(.*)"/m],
	["console/package.json", /^ {2}"version": "(.*)"/m],
	["packages/cli/package.json", /^ {2}"version": "(.*)"/m],
	["packages/sdk/package.json", /^ {2}"version": "(.*)"/m],
	["packages/python/pyproject.toml", /^version = "(.*)"/m],
	["packages/python/src/bounty_platform/_version.py", /^__version__ = "(.*)"/m],
	["CHANGELOG.md", /^## (\d\S*)/m],
])("%s has the version of src/domain/version.ts", (file, pattern) => {
	expect(pattern.exec(readProjectFile(file))?.[1]).toBe(VERSION);
});

it("the migrations of this version are recorded", () => {
	expect(readRelease()?.version).toBe(VERSION);
});
