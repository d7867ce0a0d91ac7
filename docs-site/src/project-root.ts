import { resolve } from "node:path";

/** This is the project's folder. Astro runs in docs-site/, and a bundled module does not know the path of its source. */
export const PROJECT_ROOT = resolve(process.cwd(), "..");
