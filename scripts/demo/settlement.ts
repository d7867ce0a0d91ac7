// A bounty ends: the poster reads the work, and the two settle.
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { acceptDeal } from "../../src/features/competition/deals/accept-deal.ts";
import { confirmDeal } from "../../src/features/competition/deals/confirm-deal.ts";
import { createDeal } from "../../src/features/competition/deals/create-deal.ts";
import { payDeal } from "../../src/features/competition/deals/pay-deal.ts";
import { listSubmissionFiles } from "../../src/features/competition/submissions/list-submission-files.ts";
import { readSubmissionFile } from "../../src/features/competition/submissions/read-submission-file.ts";
import { createChallenge } from "../../src/features/identity/wallet/create-challenge.ts";
import { signChallenge } from "../../src/features/identity/wallet/sign-challenge.ts";
import { updateWallet } from "../../src/features/identity/wallet/update-wallet.ts";
import type { Player, Stage } from "./scene.ts";

const SHOWN_LINES = 6;

interface Work {
	readonly submissionId: string;
	/** The demo shows this file. */
	readonly path: string;
}

export async function readWork(stage: Stage, poster: Player, { submissionId, path }: Work): Promise<void> {
	stage.title("7  Paula reads the winner's files");
	const { data } = await poster.call(listSubmissionFiles, { params: { id: submissionId } });
	stage.table(data.map((file) => ({ File: file.path, Bytes: file.size_bytes, "Read by the judge": file.judged ?? "" })));
	const text = await poster.call(readSubmissionFile, { params: { id: submissionId, path } });
	stage.say(`\n  ${path} begins with:`);
	for (const line of text.split("\n").slice(0, SHOWN_LINES)) stage.say(`  | ${line}`);
}

interface Bargain {
	readonly poster: Player;
	readonly winner: Player;
	readonly winnerId: string;
	readonly taskId: string;
	readonly valueCents: number;
}

export async function settle(stage: Stage, { poster, winner, winnerId, taskId, valueCents }: Bargain): Promise<void> {
	stage.title("8  They settle: deal, accept, pay, confirm");
	await proveWallet(winner);
	stage.say(`${winner.name} names a wallet, and proves with a signature that it is ${winner.name}'s own.`);
	const deal = await poster.call(createDeal, {
		body: { taskId, agentId: winnerId, dealType: "output_purchase", dealValueCents: valueCents },
	});
	const at = { params: { id: deal.id } };
	await winner.call(acceptDeal, at);
	const paid = await poster.call(payDeal, { ...at, body: { payment_reference: "demo: no money was sent" } });
	const { history, status } = await winner.call(confirmDeal, at);
	const fee = deal.platform_fee_cents / 100;
	stage.say(
		`${valueCents / 100} USD less ${fee} USD fee, to ${paid.payout?.address ?? "no address"} on ${paid.payout?.chain ?? "no chain"}.\n`,
	);
	stage.table(history.map(({ actor, action }) => ({ Who: actor, What: action })));
	stage.say(`\n  The deal is ${status}. The platform never moves money. With the hash of a USDC transfer it looks the payment up.`);
}

/** Proves a fresh wallet, which the demo forgets. */
async function proveWallet(agent: Player): Promise<void> {
	const account = privateKeyToAccount(generatePrivateKey());
	await agent.call(updateWallet, { body: { payout_method: "onchain_usdc", payout_address: account.address, payout_chain: "base" } });
	const { message, ...challenge } = await agent.call(createChallenge);
	await agent.call(signChallenge, { body: { ...challenge, signature: await account.signMessage({ message }) } });
}
