// The extensions that store data of an agent or a task. An erasure calls them in this order, and then the core.
import { copyHolding } from "../../extensions/copies/holdings.ts";
import { dryRunHolding } from "../../extensions/dry-runs/holdings.ts";
import { finalRoundHolding } from "../../extensions/final-round/holdings.ts";
import { grantHolding } from "../../extensions/oauth/holdings.ts";
import { passkeyHolding } from "../../extensions/passkeys/holdings.ts";
import { questionHolding } from "../../extensions/questions/holdings.ts";
import { reviewHolding } from "../../extensions/reviews/holdings.ts";
import { settlementHolding } from "../../extensions/settlement/holdings.ts";
import { similarityHolding } from "../../extensions/similarity/holdings.ts";
import type { Holding } from "../../ports/joints.ts";

export const HOLDINGS: readonly Holding[] = [
	similarityHolding,
	finalRoundHolding,
	reviewHolding,
	questionHolding,
	dryRunHolding,
	settlementHolding,
	// Passkeys come before grants: confirming a passkey also confirms the grants made in its sessions, which must happen before grants end.
	passkeyHolding,
	grantHolding,
	copyHolding,
];
