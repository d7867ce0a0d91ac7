// The platform has no extensions. extensions-all.ts says when.
import type { ExtensionName } from "./extension-names.ts";

export const PRESENT_EXTENSIONS: readonly ExtensionName[] = [];
