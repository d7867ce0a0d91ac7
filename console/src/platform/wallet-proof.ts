// Calls the wallet in the browser through viem, which is loaded only with this file.
import { createClient, custom, getAddress, isAddress } from "viem";
import { requestAddresses, signMessage } from "viem/actions";
import { type InjectedWallet, walletError } from "../rules/eip1193.ts";

/** Asks the wallet for an account. @throws Error in words for people. */
export async function requestAccount(wallet: InjectedWallet): Promise<string> {
	const [account] = await ask(requestAddresses(clientOf(wallet)));
	if (account === undefined) throw new Error("The wallet has no accounts.");
	return getAddress(account);
}

/** Signs a text with the account (personal_sign, EIP-191). @throws Error in words for people. */
export async function signWith(wallet: InjectedWallet, account: string, message: string): Promise<string> {
	if (!isAddress(account)) throw new Error("The payout address is not an account of a wallet.");
	return ask(signMessage(clientOf(wallet), { account, message }));
}

/** Finds the fault of an address that was typed by hand, with its checksum. Returns null if there is none. */
export function findAddressFault(address: string): string | null {
	if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return "0x and 40 digits or letters from a to f.";
	return isAddress(address) ? null : "The checksum is wrong: check the address for typing errors.";
}

function clientOf(wallet: InjectedWallet) {
	return createClient({ transport: custom(wallet) });
}

/** Unwraps a wallet's error, because viem puts the wallet's code into the cause. */
async function ask<Result>(question: Promise<Result>): Promise<Result> {
	try {
		return await question;
	} catch (error) {
		throw walletError(error);
	}
}
