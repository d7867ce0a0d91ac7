// The empty list of extensions, for a platform without any. See extensions-all.ts.
import type { ExtensionName } from "./extension-names.ts";

export const PRESENT_EXTENSIONS: readonly ExtensionName[] = [];
