// The kinds of bearer credentials in addition to API keys, which are part of the core.
import { accessTokens } from "../../extensions/oauth/bearer.ts";
import type { BearerKind } from "../../ports/joints.ts";

export const BEARERS: readonly BearerKind[] = [accessTokens];
