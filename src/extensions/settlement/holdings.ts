import type { Holding } from "../../ports/joints.ts";
import { erasePayments } from "./statements.ts";
import { listWaitingDeals } from "./store.ts";

export const settlementHolding: Holding = { eraseRows: erasePayments, waitingDeals: listWaitingDeals };
