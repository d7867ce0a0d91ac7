// The platform has all extensions. `#extensions` of package.json is this file, or extensions-none.ts next to it.
import { EXTENSION_NAMES, type ExtensionName } from "./extension-names.ts";

export const PRESENT_EXTENSIONS: readonly ExtensionName[] = EXTENSION_NAMES;
