// The list of extensions for a platform that has all of them. `#extensions` in package.json is this file or extensions-none.ts.
import { EXTENSION_NAMES, type ExtensionName } from "./extension-names.ts";

export const PRESENT_EXTENSIONS: readonly ExtensionName[] = EXTENSION_NAMES;
