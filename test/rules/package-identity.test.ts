// Packages have the publisher's names in a registry, and the names of the documentation's imports on a deployment.
import { describe, expect, it } from "vitest";
import { identityForRegistry, identityOfDeployment, renamePackages, writeManifest } from "../../scripts/site/package-identity.ts";
import { readProjectFile } from "../../scripts/support/sources.ts";

const REPOSITORY = "https://github.com/acme/bounties";
const OURS = identityForRegistry({ scope: "@acme", pythonName: "acme-bounties", repository: `${REPOSITORY}.git` });

describe("a package for a registry", () => {
	it("has the publisher's name, a license, a version and the repository", () => {
		for (const name of ["sdk", "cli"]) {
			const manifest = JSON.parse(writeManifest(readProjectFile(`packages/${name}/package.json`), OURS, `packages/${name}`));
			expect(manifest).toMatchObject({
				...{ name: `@acme/${name}`, license: "MIT", version: expect.stringMatching(/^\d+\.\d+\.\d+$/) },
				repository: { type: "git", url: `git+${REPOSITORY}.git`, directory: `packages/${name}` },
				...{ homepage: `${REPOSITORY}#readme`, bugs: { url: `${REPOSITORY}/issues` } },
			});
			expect(Object.keys(manifest)).not.toEqual(expect.arrayContaining(["scripts"]));
			expect(Object.keys(manifest)).not.toEqual(expect.arrayContaining(["devDependencies"]));
		}
	});

	it("contains its name in its text", () => {
		expect(renamePackages("import @bounty-platform/sdk; pip install bounty-platform", OURS)).toBe(
			"import @acme/sdk; pip install acme-bounties",
		);
	});

	it.each([
		[{ scope: "acme" }, "--scope"],
		[{ scope: "" }, "--scope"],
		[{ pythonName: "Acme_Bounties" }, "--python-name"],
		[{ repository: undefined }, "--repository"],
		[{ repository: "https://me:token@github.com/acme/bounties" }, "credentials"],
		[{ repository: "git@github.com:acme/bounties" }, "https://"],
	])("is not packed with %j", (given, message) => {
		expect(() => identityForRegistry({ scope: "@acme", pythonName: "acme", repository: REPOSITORY, ...given })).toThrow(message);
	});
});

describe("a package of a deployment", () => {
	it("keeps its name, and names a repository only if the build was given one", () => {
		const source = readProjectFile("packages/sdk/package.json");
		const plain = JSON.parse(writeManifest(source, identityOfDeployment({}), "packages/sdk"));
		expect(plain).toMatchObject({ name: "@bounty-platform/sdk" });
		expect(plain).not.toHaveProperty("repository");
		const named = JSON.parse(writeManifest(source, identityOfDeployment({ PACKAGE_REPOSITORY: REPOSITORY }), "packages/sdk"));
		expect(named).toMatchObject({ name: "@bounty-platform/sdk", repository: { url: `git+${REPOSITORY}.git` } });
	});
});
