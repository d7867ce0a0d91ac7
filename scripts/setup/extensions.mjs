// EXTENSIONS=none selects the platform without extensions, in development and for a deployment. docs/architecture/extensions.md explains
// it. This is plain JavaScript without dependencies, like scripts/setup.mjs.

/** The condition by which package.json selects files. */
const CONDITION = "core-only";
/** wrangler replaces its own conditions with this list, so it must repeat them. */
const WRANGLER_CONDITIONS = ["workerd", "worker", "browser"];

/** @returns {boolean} */
export function isCoreOnly(env = process.env) {
	const chosen = env.EXTENSIONS ?? "";
	if (chosen === "" || chosen === "all") return false;
	if (chosen === "none") return true;
	throw new Error(`EXTENSIONS must be none or all, not ${JSON.stringify(chosen)}.`);
}

/** Returns the environment variables with which Node and wrangler select the same files. */
export function chooseByCondition(env = process.env) {
	if (!isCoreOnly(env) || env.WRANGLER_BUILD_CONDITIONS !== undefined) return {};
	return {
		NODE_OPTIONS: [env.NODE_OPTIONS, `--conditions=${CONDITION}`].filter(Boolean).join(" "),
		WRANGLER_BUILD_CONDITIONS: [...WRANGLER_CONDITIONS, CONDITION].join(","),
	};
}
