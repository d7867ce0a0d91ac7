import type { Holding } from "../../ports/joints.ts";
import { endPasskeysOf, endPasskeysOfKeys } from "./statements.ts";

/** Passkeys end with their person, with a claim of the agent that their person was, and with the key that they depend on. */
export const passkeyHolding: Holding = { eraseRows: endPasskeysOf, endWithClaim: endPasskeysOf, endWithKeys: endPasskeysOfKeys };
