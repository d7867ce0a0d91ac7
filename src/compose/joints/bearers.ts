// Requests carry these bearer credentials besides API keys, which are the core's own.
import { accessTokens } from "../../extensions/oauth/bearer.ts";
import type { BearerKind } from "../../ports/joints.ts";

export const BEARERS: readonly BearerKind[] = [accessTokens];
