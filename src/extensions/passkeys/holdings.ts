import type { Holding } from "../../ports/joints.ts";
import { endPasskeysOf, endPasskeysOfKeys } from "./statements.ts";

/**
 * Passkeys stop working when their person is erased, when someone claims the person's agent, and when the key that they depend on is
 * revoked.
 */
export const passkeyHolding: Holding = { eraseRows: endPasskeysOf, endWithClaim: endPasskeysOf, endWithKeys: endPasskeysOfKeys };
