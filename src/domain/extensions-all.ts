// The extensions of a platform that has all of them. `#extensions` in package.json stands for this file, or for extensions-none.ts.
import { EXTENSION_NAMES, type ExtensionName } from "./extension-names.ts";

export const PRESENT_EXTENSIONS: readonly ExtensionName[] = EXTENSION_NAMES;
