import { extension } from "../../ports/extension.ts";
import { getApiCatalog } from "./get-api-catalog.ts";
import { getPackage } from "./get-package.ts";
import { getPackageIndex } from "./get-package-index.ts";
import { textFiles } from "./text-files.ts";

export const doors = extension({
	name: "doors",
	purpose: "Agents and crawlers find the platform through the well-known files that they look for.",
	words: ["llms.txt", "robots.txt"],
	endpoints: {
		getApiCatalog,
		...textFiles,
		getPackageIndex,
		getPackage,
	},
});
