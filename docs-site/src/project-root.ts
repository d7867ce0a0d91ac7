import { resolve } from "node:path";

/** The project's folder. Astro runs in docs-site/; a bundled module does not know where its source was. */
export const PROJECT_ROOT = resolve(process.cwd(), "..");
