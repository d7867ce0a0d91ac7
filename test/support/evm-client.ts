// Provides a poster's wallet on a separate test chain (evm-server.ts).
import { encodeFunctionData, parseAbi } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { concat, numberToHex, pad, size } from "viem/utils";
import { inject } from "vitest";
import { z } from "zod";
import { CHAINS, type PayoutChain } from "../../src/domain/chains.ts";

type Hex = `0x${string}`;

/** A contract that makes several transfers in one transaction, from its own balance. */
export const BATCH = "0xbabababababababababababababababababababa";
/** Another such contract. If it is an agent's wallet, it gives away money that it gets. */
export const LENDER = "0xfafafafafafafafafafafafafafafafafafafafa";
/** USDbC is the bridged token of base, which looks the same but is another contract. */
export const BRIDGED_USDC = "0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA";
/** A block is final once the chain has this many blocks, counted from that block on. */
export const BLOCKS_UNTIL_FINAL = 3;
const ABI = parseAbi(["function transfer(address to, uint256 amount) returns (bool)"]);

const created = z.object({ id: z.string() });
const dropped = z.object({ transactions: z.number() });
const mined = z.object({ hash: z.string().nullable() });

export interface Transfer {
	readonly to: Hex;
	/** In millionths of a USDC. */
	readonly units: bigint;
}

interface TransferOptions {
	readonly token?: Hex;
	/** In seconds since the epoch. The default is the current time. */
	readonly timestamp?: number;
}

export interface Wallet {
	/** The URL of the chain's node. */
	readonly url: string;
	readonly address: Hex;
	/** Signs text as the wallet's owner (EIP-191). */
	sign(message: string): Promise<string>;
	/** Makes transfers in one transaction in a new block, and returns the transaction's hash. */
	transfer(transfers: readonly Transfer[], options?: TransferOptions): Promise<string>;
	/** Has {@link BATCH} pay {@link LENDER}, which then pays others, all in one transaction. Returns the transaction's hash. */
	lend(units: bigint, back: readonly Transfer[]): Promise<string>;
	/** Makes empty blocks. */
	mine(blocks: number): Promise<void>;
	/** Replaces the newest blocks with empty ones, so that their transactions are gone. */
	reorganise(blocks: number): Promise<void>;
}

async function post(url: string, body: unknown): Promise<unknown> {
	const response = await fetch(url, { method: "POST", body: JSON.stringify(body) });
	if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
	return response.json();
}

/** Encodes calls for {@link BATCH}. */
function callsOf(calls: readonly { readonly to: Hex; readonly data: Hex }[]): Hex {
	return concat(calls.flatMap(({ to, data }) => [pad(to), numberToHex(size(data), { size: 32 }), data]));
}

/** Starts a chain that has USDC at the real chain's address, and a wallet with a million of it. */
export async function startChain(chain: PayoutChain): Promise<Wallet> {
	const account = privateKeyToAccount(generatePrivateKey());
	const { id, usdc } = CHAINS[chain];
	const chainId = Number(id);
	const tokens = [usdc, BRIDGED_USDC];
	const started = created.parse(
		await post(`${inject("evmServer")}/chains/`, {
			chainId,
			blocksUntilFinal: BLOCKS_UNTIL_FINAL,
			tokens,
			batches: [BATCH, LENDER],
			rich: [account.address, BATCH],
		}),
	);
	const url = `${inject("evmServer")}/chains/${started.id}`;
	let nonce = 0;
	const mine = async (raw: Hex | null, timestamp = Math.floor(Date.now() / 1000)) =>
		mined.parse(await post(`${url}/mine`, { raw, timestamp })).hash;
	const send = async (call: { readonly to: Hex; readonly data: Hex }, timestamp?: number) => {
		const fees = { gas: 500_000n, maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 0n };
		const raw = await account.signTransaction({ chainId, nonce, ...call, ...fees });
		nonce += 1;
		return (await mine(raw, timestamp)) ?? "";
	};
	return {
		url,
		address: account.address,
		sign: (message) => account.signMessage({ message }),
		async transfer(transfers, { token = usdc, timestamp } = {}) {
			const calls = transfers.map(({ to, units }) => encodeFunctionData({ abi: ABI, args: [to, units] }));
			const [only = "0x"] = calls;
			return send(
				calls.length === 1 ? { to: token, data: only } : { to: BATCH, data: callsOf(calls.map((data) => ({ to: token, data }))) },
				timestamp,
			);
		},
		lend: (units, back) => {
			const transferOf = (to: Hex, amount: bigint) => ({ to: usdc, data: encodeFunctionData({ abi: ABI, args: [to, amount] }) });
			const away = callsOf(back.map((transfer) => transferOf(transfer.to, transfer.units)));
			return send({ to: BATCH, data: callsOf([transferOf(LENDER, units), { to: LENDER, data: away }]) });
		},
		async mine(blocks) {
			for (let left = blocks; left > 0; left -= 1) await mine(null);
		},
		async reorganise(blocks) {
			nonce -= dropped.parse(await post(`${url}/drop`, { blocks })).transactions;
			// Another time gives the new blocks another hash.
			for (let left = blocks; left > 0; left -= 1) await mine(null, Math.floor(Date.now() / 1000) + 1);
		},
	};
}
