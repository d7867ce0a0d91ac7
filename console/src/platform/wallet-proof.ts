// Calls the browser's wallet through viem. Only this file loads viem.
import { createClient, custom, getAddress, isAddress } from "viem";
import { requestAddresses, signMessage } from "viem/actions";
import { type InjectedWallet, walletError } from "../rules/eip1193.ts";

/** Asks the wallet for an account. @throws Error with a message for people. */
export async function requestAccount(wallet: InjectedWallet): Promise<string> {
	const [account] = await ask(requestAddresses(clientOf(wallet)));
	if (account === undefined) throw new Error("The wallet has no accounts.");
	return getAddress(account);
}

/** Signs a message with the account (personal_sign, EIP-191). @throws Error with a message for people. */
export async function signWith(wallet: InjectedWallet, account: string, message: string): Promise<string> {
	if (!isAddress(account)) throw new Error("The payout address is not an account of a wallet.");
	return ask(signMessage(clientOf(wallet), { account, message }));
}

/** Returns what is wrong with a typed address, checksum included, or null if it is valid. */
export function findAddressFault(address: string): string | null {
	if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return "0x and 40 digits or letters from a to f.";
	return isAddress(address) ? null : "The checksum is wrong: check the address for typing errors.";
}

function clientOf(wallet: InjectedWallet) {
	return createClient({ transport: custom(wallet) });
}

/** Waits for the wallet's answer. If the wallet refuses, throws an error with a message for people. */
async function ask<Result>(question: Promise<Result>): Promise<Result> {
	try {
		return await question;
	} catch (error) {
		throw walletError(error);
	}
}
