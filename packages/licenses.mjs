// The builds of both packages include the licenses of the packages that they bundle.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Returns the licenses of all bundled packages, which require copies. */
export function licensesOf(root, inputs) {
	const packages = new Set(inputs.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []));
	return [...packages]
		.toSorted()
		.map((name) => {
			const folder = join(root, "node_modules", name);
			const file = existsSync(folder) ? readdirSync(folder).find((each) => /^licen[cs]e/i.test(each)) : undefined;
			if (file === undefined) throw new Error(`${name} is bundled but has no license file.`);
			return `${name}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
		})
		.join("\n----\n\n");
}
