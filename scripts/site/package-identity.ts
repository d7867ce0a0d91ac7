// Decides the names of packed packages, and the repository that they name.
import { createHash } from "node:crypto";
import { CommandError } from "../support/command.ts";

export interface PackageIdentity {
	/** The scope on npm, such as `@acme`. */
	readonly scope: string;
	/** The name on PyPI, which has no scopes. */
	readonly pythonName: string;
	/** A URL without `.git`. Null if the packages name no repository. */
	readonly repository: string | null;
	/** If true, the version includes a digest of the content. Registries accept only plain versions. */
	readonly hasDigest: boolean;
}

/** The names of the packages in this project. */
const OWN = { scope: "@bounty-platform", pythonName: "bounty-platform" } as const;

/** Returns the names under which a deployment documents and serves the packages. `PACKAGE_REPOSITORY` names the repository. */
export function identityOfDeployment(env: Readonly<Record<string, string | undefined>>): PackageIdentity {
	return { ...OWN, repository: parseRepository(env["PACKAGE_REPOSITORY"]), hasDigest: true };
}

/** Returns the names that a publisher owns in a registry. @throws CommandError for names that no registry accepts. */
export function identityForRegistry(given: {
	readonly scope?: string | undefined;
	readonly pythonName?: string | undefined;
	readonly repository?: string | undefined;
}): PackageIdentity {
	const { scope = "", pythonName = "" } = given;
	if (!/^@[a-z0-9~-][a-z0-9._~-]*$/.test(scope)) throw new CommandError("Set --scope to your scope on npm, such as @acme.");
	if (!/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(pythonName)) {
		throw new CommandError("Set --python-name to your package's name on PyPI, in lower-case letters, digits and hyphens.");
	}
	const repository = parseRepository(given.repository);
	if (repository === null)
		throw new CommandError("Set --repository to the URL of your repository. A registry compares it with the provenance.");
	return { scope, pythonName, repository, hasDigest: false };
}

/** Replaces the names in the text of a package with its publisher's names. */
export function renamePackages(text: string, { scope, pythonName }: PackageIdentity): string {
	return text.replaceAll(`${OWN.scope}/`, `${scope}/`).replaceAll(OWN.pythonName, (name, at: number) => {
		return text[at - 1] === "@" ? name : pythonName;
	});
}

/** Writes a package.json for installations: without what builds the package, and with the publisher's names. */
export function writeManifest(manifest: string, identity: PackageIdentity, directory: string): string {
	const { scripts: _, devDependencies: __, ...fields } = JSON.parse(manifest);
	const { repository } = identity;
	const origin =
		repository === null
			? {}
			: {
					repository: { type: "git", url: `git+${repository}.git`, directory },
					homepage: `${repository}#readme`,
					bugs: { url: `${repository}/issues` },
				};
	const name = renamePackages(String(fields.name), identity);
	return `${JSON.stringify({ ...fields, name, ...origin }, null, 2)}\n`;
}

function parseRepository(given: string | undefined): string | null {
	if (given === undefined || given === "") return null;
	const url = URL.parse(given);
	if (url === null || url.protocol !== "https:" || url.username !== "" || url.search !== "") {
		throw new CommandError(`${given} is not the URL of a repository. It must begin with https:// and contain no credentials.`);
	}
	return given.replace(/(?:\.git)?\/*$/, "");
}

/**
 * Returns the first 12 hexadecimal digits of a digest over files. The digest distinguishes builds of one version, because the
 * version changes only with a release.
 */
export function digestOf(files: ReadonlyMap<string, Uint8Array | string>): string {
	const all = createHash("sha256");
	for (const [path, content] of [...files].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
		all.update(`${path}\0${createHash("sha256").update(content).digest("hex")}\n`);
	}
	return all.digest("hex").slice(0, 12);
}
