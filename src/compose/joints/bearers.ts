// The bearer credentials that requests can have in addition to API keys, which belong to the core.
import { accessTokens } from "../../extensions/oauth/bearer.ts";
import type { BearerKind } from "../../ports/joints.ts";

export const BEARERS: readonly BearerKind[] = [accessTokens];
