// Creates .dev.vars, which wrangler reads in development. It is not in git, because developers put their own keys into it.
// This is plain JavaScript without dependencies, like scripts/setup.mjs.
import { constants, copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";

const pathIn = (root) => join(root, ".dev.vars");

export function hasDevVars(root) {
	return existsSync(pathIn(root));
}

/** Writes the values of local development, unless the file exists. Returns true if it has written them. */
export function makeDevVars(root) {
	try {
		copyFileSync(join(root, "scripts", "setup", "development.vars"), pathIn(root), constants.COPYFILE_EXCL);
		return true;
	} catch (error) {
		if (error.code === "EEXIST") return false;
		throw error;
	}
}
