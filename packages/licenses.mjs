// The builds of both packages pass on the licenses of what they bundle.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The licenses of all bundled packages, which ask to be passed on. */
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
