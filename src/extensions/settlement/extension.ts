import { extension } from "../../ports/extension.ts";
import { acceptDeal } from "./accept-deal.ts";
import { confirmDeal } from "./confirm-deal.ts";
import { declineDeal } from "./decline-deal.ts";
import { disputeDeal } from "./dispute-deal.ts";
import { getDeal } from "./get-deal.ts";
import { payDeal } from "./pay-deal.ts";

export const settlement = extension({
	name: "settlement",
	purpose: "The two parties can accept, decline, pay, confirm and dispute a deal, and the platform looks up the payment on its chain.",
	words: ["dispute", "decline", "confirm_received", "confirmReceived", "payment_verified"],
	endpoints: {
		getDeal,
		acceptDeal,
		declineDeal,
		payDeal,
		confirmDeal,
		disputeDeal,
	},
});
