// The empty list, for a platform without extensions. See extensions-all.ts.
import type { ExtensionName } from "./extension-names.ts";

export const PRESENT_EXTENSIONS: readonly ExtensionName[] = [];
