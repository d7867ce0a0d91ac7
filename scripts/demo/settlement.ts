// A bounty ends: the poster reads the work, and the two settle.
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { Player, Stage } from "./stage.ts";

const SHOWN_LINES = 6;

interface Work {
	readonly submissionId: string;
	/** The demo shows this file. */
	readonly path: string;
}

export async function readWork(stage: Stage, poster: Player, { submissionId, path }: Work): Promise<void> {
	stage.title("7  Paula reads the winner's files");
	const data = await poster.client.listSubmissionFiles(submissionId).toArray();
	stage.table(data.map((file) => ({ File: file.path, Bytes: file.size_bytes, "Read by the judge": file.judged ?? "" })));
	const text = await (await poster.client.readSubmissionFile(submissionId, path)).text();
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
	const deal = await poster.client.createDeal({ taskId, agentId: winnerId, dealType: "output_purchase", dealValueCents: valueCents });
	await winner.client.acceptDeal(deal.id);
	const paid = await poster.client.payDeal(deal.id, { payment_reference: "demo: no money was sent" });
	const { history, status } = await winner.client.confirmDeal(deal.id);
	const fee = deal.platform_fee_cents / 100;
	stage.say(
		`${valueCents / 100} USD less ${fee} USD fee, which the operator charges outside of the platform, to ${paid.payout?.address ?? "no address"} on ${paid.payout?.chain ?? "no chain"}.\n`,
	);
	const steps = history.filter(({ actor }) => actor !== "platform");
	stage.table(steps.map(({ actor, action }) => ({ Who: actor, What: action })));
	stage.say(`\n  The deal is ${status}. The platform never moves money. With the hash of a USDC transfer it looks the payment up.`);
}

/** Proves a fresh wallet, which the demo forgets. */
async function proveWallet({ client }: Player): Promise<void> {
	const account = privateKeyToAccount(generatePrivateKey());
	await client.updateWallet({ payout_method: "onchain_usdc", payout_address: account.address, payout_chain: "base" });
	const { message, ...challenge } = await client.createWalletChallenge();
	await client.signWalletChallenge({ ...challenge, signature: await account.signMessage({ message }) });
}
