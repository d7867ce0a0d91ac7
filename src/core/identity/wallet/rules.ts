import { hashMessage, isAddress, recoverAddress } from "viem/utils";
import type { PAYOUT_METHODS, WALLET_PROOFS } from "../../../db/schema/agents.ts";
import { type Address, EVM_ADDRESS_PATTERN, isEvmAddress, type PayoutChain } from "../../../domain/chains.ts";
import { AppError } from "../../../domain/errors.ts";
import { MINUTE_MS, toIso } from "../../../platform/clock.ts";

export type PayoutMethod = (typeof PAYOUT_METHODS)[number];
/** How an agent proved its wallet: with the key of an account, or with a signature that the contract at the address accepted. */
export type WalletProof = (typeof WALLET_PROOFS)[number];

export const LIVE_PAYOUT_METHODS = ["onchain_usdc", "coinbase_commerce"] as const satisfies readonly PayoutMethod[];
export const ACCOUNT_ID_PATTERN = /^[\x20-\x7e]{1,200}$/;

export const CHALLENGE_TTL_MS = 5 * MINUTE_MS;

/** Returns why a payout method cannot pay to an address, or null if it can. */
export function findPayoutAddressFault(method: PayoutMethod, address: string | null): string | null {
	if (method === "onchain_usdc") return findEvmAddressFault(address);
	return address === null || ACCOUNT_ID_PATTERN.test(address) ? null : "must be 1 to 200 printable ASCII characters";
}

function findEvmAddressFault(address: string | null): string | null {
	if (address === null) return "is required for onchain_usdc";
	if (!EVM_ADDRESS_PATTERN.test(address)) return "must be 0x followed by 40 hex digits";
	if (hasMixedCase(address) && !isAddress(address))
		return "has a wrong EIP-55 checksum: check it for typing errors, or send it in lower case";
	return null;
}

/** Returns true for an address in mixed case. Only such an address has a checksum. */
function hasMixedCase(address: string): boolean {
	const digits = address.slice(2);
	return digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
}

/**
 * Returns the address that an agent has proved to control on this chain, or null. If the address is a contract, the proof counts only on
 * the chain where the contract accepted the signature.
 */
export function provenAddress(
	wallet: {
		readonly payoutAddress: string | null;
		readonly payoutChain: PayoutChain | null;
		readonly walletVerifiedAt: number | null;
		readonly walletProof: WalletProof | null;
	},
	chain: PayoutChain,
): Address | null {
	const { payoutAddress, payoutChain, walletVerifiedAt, walletProof } = wallet;
	if (walletVerifiedAt === null || !isEvmAddress(payoutAddress)) return null;
	return walletProof === "account" || payoutChain === chain ? payoutAddress : null;
}

/** Returns the chain to store. On-chain payouts without a chain get `base`, and other payouts get null. */
export function resolvePayoutChain(method: PayoutMethod, chain: PayoutChain | null): PayoutChain | null {
	return method === "onchain_usdc" ? (chain ?? "base") : null;
}

export interface Challenge {
	readonly service: string;
	readonly agentId: string;
	readonly address: Address;
	readonly chain: PayoutChain | null;
	/** A random number, as 32 hex digits. */
	readonly nonce: string;
	/** When the challenge was issued, in milliseconds since the epoch. */
	readonly ts: number;
}

/** Returns the text that the wallet signs. The text states its whole purpose, so that the signature is useless elsewhere. */
export function challengeMessage({ service, agentId, address, chain, nonce, ts }: Challenge): string {
	return [
		`${service} asks you to prove that you control a payout address.`,
		"Signing this is free and moves no funds.",
		"",
		`Service: ${service}`,
		`Agent: ${agentId}`,
		`Address: ${address}`,
		`Chain: ${chain ?? "none"}`,
		`Nonce: ${nonce}`,
		`Issued at: ${toIso(ts)}`,
	].join("\n");
}

/** Returns the text that the platform signs: which deployment issued the challenge, to which agent, and when. */
export function challengeProofText({ service, agentId, nonce, ts }: Pick<Challenge, "service" | "agentId" | "nonce" | "ts">): string {
	return JSON.stringify([service, agentId, nonce, ts]);
}

/**
 * @param now Milliseconds since the epoch.
 * @throws AppError `CHALLENGE_EXPIRED` more than 5 minutes after the challenge was issued.
 */
export function assertChallengeFresh(ts: number, now: number): void {
	if (now - ts > CHALLENGE_TTL_MS) throw new AppError("CHALLENGE_EXPIRED");
}

const SIGNATURE_CHARACTERS = 2 + 65 * 2;
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/**
 * Recovers the account that made an EIP-191 signature of a message. Returns null for an invalid signature: a wrong length, an unknown
 * recovery id, a value out of range, or a high `s`, because that would give every signature a second valid form.
 */
export async function recoverSigner(message: string, signature: `0x${string}`): Promise<Address | null> {
	if (signature.length !== SIGNATURE_CHARACTERS) return null;
	if (BigInt(`0x${signature.slice(66, 130)}`) > CURVE_ORDER / 2n) return null;
	try {
		return await recoverAddress({ hash: hashMessage(message), signature });
	} catch {
		return null;
	}
}

/** Returns true if two addresses belong to the same account. Ignores case, which is only a checksum. */
export function isSameAddress(a: Address, b: Address): boolean {
	return a.toLowerCase() === b.toLowerCase();
}
